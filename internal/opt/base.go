package opt

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// A Base is what phase A of a program needs to know about the functions of the module that it
// continues: the results of that module's phase A, and the bodies as it left them. It is immutable
// and safe for concurrent use.
type Base struct {
	below   *Base   // of the module's own base, nil if it has none
	first   int32   // the index of the first of the module's own functions
	ends    []byte  // numbers of 4 bytes: for each of these functions, in order, the end of its part of info
	info    []byte  // facts about them: programs ask for few
	runtime []int32 // the module's own functions with ir.Runtime; passes know some of them by name
	concat  [maxConcat + 1][2]int32
	// body returns a function with its body as it was after phase A, not the one that runs:
	// phase B may have changed that.
	body func(*ir.Func) (*ir.Func, error)
}

// PhaseABase is PhaseA for a module that others continue. It also returns the data that [OpenBase]
// reads.
func PhaseABase(m *ir.Module, cfg *Options) ([]byte, error) {
	in, err := phaseA(m, cfg)
	if err != nil {
		return nil, err
	}
	b := binary.AppendUvarint(nil, uint64(len(m.Own())))
	for n, f := range in.str.concatN {
		plain, buffered := int32(0), int32(0)
		if f != nil {
			plain = f.Index
			if mk := in.makers[f]; n > 2 && mk != nil && mk.buffered != nil {
				buffered = mk.buffered.Index
			}
		}
		b = binary.AppendUvarint(b, uint64(plain))
		b = binary.AppendUvarint(b, uint64(buffered))
	}
	runtime := slices.DeleteFunc(slices.Clone(m.Own()), func(f *ir.Func) bool { return f.Flags&ir.Runtime == 0 })
	b = binary.AppendUvarint(b, uint64(len(runtime)))
	for _, f := range runtime {
		b = binary.AppendUvarint(b, uint64(f.Index))
	}
	var info []byte
	for _, f := range m.Own() {
		info = in.about(f).append(info, f.Entry != nil && usesClosure(f))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(info)))
	}
	return append(b, info...), nil
}

// Bits of a funcInfo as it is written.
const (
	infoDone = 1 << iota
	infoInlinable
	infoCallsParam
	infoClosed
	infoParams // leaks of parameters follow
)

func (x *funcInfo) append(b []byte, closed bool) []byte {
	bits := uint64(0)
	for bit, is := range map[uint64]bool{
		infoDone: x.done, infoInlinable: x.inlinable, infoCallsParam: x.callsParam, infoClosed: closed,
		infoParams: x.params != nil,
	} {
		if is {
			bits |= bit
		}
	}
	b = binary.AppendUvarint(b, bits)
	b = binary.AppendUvarint(b, uint64(x.cost))
	b = binary.AppendUvarint(b, uint64(x.values))
	b = binary.AppendUvarint(b, uint64(x.closure))
	for _, l := range x.params {
		b = binary.AppendUvarint(b, uint64(l))
	}
	return b
}

var errBase = errors.New("opt: the facts about a base are cut off or of another module")

// A factReader reads numbers.
type factReader struct {
	b   []byte
	bad bool // too few numbers were left
}

func (r *factReader) next() uint64 {
	n, width := binary.Uvarint(r.b)
	if width <= 0 {
		r.bad = true
		return 0
	}
	r.b = r.b[width:]
	return n
}

// read reads what append wrote about a function with the given number of parameters.
func (x *funcInfo) read(b []byte, params int) error {
	r := factReader{b: b}
	bits := r.next()
	x.done, x.inlinable, x.callsParam, x.closed = bits&infoDone != 0, bits&infoInlinable != 0, bits&infoCallsParam != 0,
		bits&infoClosed != 0
	x.cost, x.values, x.closure = int(r.next()), int(r.next()), leak(r.next())
	if bits&infoParams != 0 {
		x.params = make([]leak, params)
		for k := range x.params {
			x.params[k] = leak(r.next())
		}
	}
	if r.bad || len(r.b) > 0 {
		return errBase
	}
	return nil
}

// OpenBase reads what PhaseABase wrote for the module m. below is the base of m's own base, nil if
// it has none. body decodes one of m's own functions as phase A left it.
func OpenBase(below *Base, m *ir.Module, facts []byte, body func(*ir.Func) (*ir.Func, error)) (*Base, error) {
	first := max(1, m.FirstOwn())
	own := m.NumFuncs() - first
	base := &Base{below: below, body: body, first: int32(first)}
	r := factReader{b: facts}
	if r.next() != uint64(own) {
		return nil, errBase
	}
	for n := range base.concat {
		for k := range base.concat[n] {
			i := r.next()
			if i >= uint64(m.NumFuncs()) {
				return nil, errBase
			}
			base.concat[n][k] = int32(i)
		}
	}
	n := r.next()
	if n > uint64(own) {
		return nil, errBase
	}
	for range n {
		i := r.next()
		if i >= uint64(m.NumFuncs()) || i < uint64(base.first) {
			return nil, errBase
		}
		base.runtime = append(base.runtime, int32(i))
	}
	if r.bad || len(r.b) < 4*own {
		return nil, errBase
	}
	base.ends, base.info = r.b[:4*own], r.b[4*own:]
	if base.end(own) != len(base.info) {
		return nil, errBase
	}
	return base, nil
}

// runtimeFuncs returns the functions with ir.Runtime, in their order.
func (in *inliner) runtimeFuncs() (list []*ir.Func) {
	for b := in.base; b != nil; b = b.below {
		below := make([]*ir.Func, len(b.runtime), len(b.runtime)+len(list))
		for i, n := range b.runtime {
			below[i] = in.m.Func(int(n))
		}
		list = append(below, list...)
	}
	for _, f := range in.m.Own() {
		if f.Flags&ir.Runtime != 0 {
			list = append(list, f)
		}
	}
	return list
}

// end returns the end of the facts about the first n functions.
func (b *Base) end(n int) int {
	if n == 0 {
		return 0
	}
	return int(binary.LittleEndian.Uint32(b.ends[4*n-4:]))
}

// about returns the facts about one of the module's own functions.
func (b *Base) about(f *ir.Func) (x *funcInfo, err error) {
	x = &funcInfo{}
	i := int(f.Index - b.first)
	start, end := b.end(i), b.end(i+1)
	if start > end || end > len(b.info) {
		return x, errBase
	}
	return x, x.read(b.info[start:end], len(f.Sig.Params))
}

// takeConcat registers a base's functions that concatenate strings.
func (in *inliner) takeConcat() {
	if in.base == nil {
		return
	}
	for n, c := range in.base.concat {
		if n <= 2 || c[0] == 0 {
			continue
		}
		f := in.m.Func(int(c[0]))
		in.str.concatN[n] = f
		in.str.readers[f] = true
		mk := &maker{size: tempBuffer}
		if c[1] != 0 {
			mk.buffered = in.m.Func(int(c[1]))
		}
		in.makers[f] = mk
	}
}

// about returns the facts about a function. Those about functions of a base must not be changed.
func (in *inliner) about(f *ir.Func) *funcInfo {
	if !in.m.InBase(f) {
		return &in.info[int(f.Index)-max(1, in.m.FirstOwn())]
	}
	x := in.known[f]
	if x == nil {
		var err error
		if x, err = in.base.of(f).about(f); err != nil {
			in.err = cmp.Or(in.err, err)
		}
		in.known[f] = x
	}
	return x
}

// of returns the base, among b and those below it, that a function belongs to.
func (b *Base) of(f *ir.Func) *Base {
	for f.Index < b.first {
		b = b.below
	}
	return b
}

// body returns a function with its body; a base's function has the body that phase A left.
func (in *inliner) body(f *ir.Func) *ir.Func {
	if !in.m.InBase(f) {
		return f
	}
	g, err := in.base.of(f).body(f)
	if err != nil {
		if in.err == nil {
			in.err = fmt.Errorf("opt: body of %s: %w", f.Name, err)
		}
		return f
	}
	return g
}

// usesClosure is the function of that name, for functions of the base too.
func (in *inliner) usesClosure(f *ir.Func) bool {
	if in.m.InBase(f) {
		return in.about(f).closed
	}
	return usesClosure(f)
}
