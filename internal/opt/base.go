package opt

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/gyrvm/gyr/internal/ir"
)

// A Base is what phase A of a program needs to know of the functions of the
// module that it continues: what phase A of that module found out, and their bodies in
// the form that it left. It is immutable and safe for concurrent use.
type Base struct {
	below  *Base      // of the module's own base, nil if it has none
	info   []funcInfo // of the module's own functions, in their order
	first  int32      // the index of the first of them
	concat [maxConcat + 1][2]int32
	// body returns a function with its body behind phase A: not the one that
	// runs, which phase B may have changed.
	body func(*ir.Func) (*ir.Func, error)
}

// PhaseABase is PhaseA for a module that others continue. It also returns what
// [OpenBase] reads.
func PhaseABase(m *ir.Module, cfg *Options) ([]byte, error) {
	in, err := phaseA(m, cfg)
	if err != nil {
		return nil, err
	}
	b := binary.AppendUvarint(nil, uint64(len(m.Own())))
	for _, f := range m.Own() {
		b = in.about(f).append(b, f.Entry != nil && usesClosure(f))
	}
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
	return b, nil
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

// OpenBase reads what PhaseABase wrote for the module m, which has a base itself if below is not nil. Body decodes one
// of m's own functions as phase A left it.
func OpenBase(below *Base, m *ir.Module, facts []byte, body func(*ir.Func) (*ir.Func, error)) (*Base, error) {
	bad := false
	next := func() uint64 {
		n, width := binary.Uvarint(facts)
		if width <= 0 {
			bad = true
			return 0
		}
		facts = facts[width:]
		return n
	}
	own := m.Own()
	base := &Base{below: below, body: body, first: int32(m.NumFuncs() - len(own))}
	if next() != uint64(len(own)) {
		return nil, errBase
	}
	base.info = make([]funcInfo, len(own))
	for i := range base.info {
		x := &base.info[i]
		bits := next()
		x.done, x.inlinable, x.callsParam, x.closed = bits&infoDone != 0, bits&infoInlinable != 0, bits&infoCallsParam != 0,
			bits&infoClosed != 0
		x.cost, x.values, x.closure = int(next()), int(next()), leak(next())
		if bits&infoParams != 0 {
			x.params = make([]leak, len(own[i].Sig.Params))
			for k := range x.params {
				x.params[k] = leak(next())
			}
		}
		if bad {
			return nil, errBase
		}
	}
	for n := range base.concat {
		for k := range base.concat[n] {
			i := next()
			if i >= uint64(m.NumFuncs()) {
				return nil, errBase
			}
			base.concat[n][k] = int32(i)
		}
	}
	if bad || len(facts) > 0 {
		return nil, errBase
	}
	return base, nil
}

// takeConcat makes the functions known that concatenate strings in a base.
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

// about returns what is known of a function. Of those of a base it must not be changed.
func (in *inliner) about(f *ir.Func) *funcInfo {
	if !in.m.InBase(f) {
		return &in.info[int(f.Index)-max(1, in.m.FirstOwn())]
	}
	base := in.base.of(f)
	return &base.info[f.Index-base.first]
}

// of returns the base among b and those below it that a function belongs to.
func (b *Base) of(f *ir.Func) *Base {
	for f.Index < b.first {
		b = b.below
	}
	return b
}

// body returns a function with its body: of one of a base, as phase A left it there.
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
