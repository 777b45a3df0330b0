package bytecode

import (
	"encoding/binary"
	"errors"
	"slices"
	"unsafe"

	"github.com/gyrvm/gyr/internal/back/lazy"
	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/ir"
)

// Code on disk. Register code names slots, functions and signatures by number and holds no address.
// So it can be written as it is, and another process that has the same module can read it. Nothing
// checks what the code does: only its author can vouch for it (see [Verify] for what tests check).
//
//	the number of signatures of the base, and the keys of the others in the order of their numbers
//	for each function: its number, the scalars of its FuncCode, the lengths
//		of its tables, the tables, its lines
//
// in little-endian words of 32 and 64 bits. A program does not store the code of its base.

// Save appends the code of all functions compiled so far, without the base's, and returns their
// number.
func (p *Module) Save(b []byte) ([]byte, int) {
	p.code.Busy.Lock(nil)
	defer p.code.Busy.Unlock()
	le := binary.LittleEndian
	keys := p.code.Sigs.Keys()
	b = le.AppendUint32(b, p.code.Sigs.First())
	b = le.AppendUint32(b, uint32(len(keys)))
	for _, k := range keys {
		b = le.AppendUint32(b, uint32(len(k)))
		b = append(b, k...)
	}
	n := 0
	count := len(b)
	b = le.AppendUint32(b, 0)
	for i := p.code.First(); i < p.Mod.NumFuncs(); i++ {
		if fc := p.Code(int32(i)); fc != nil {
			b = fc.append(b, i)
			n++
		}
	}
	le.PutUint32(b[count:], uint32(n))
	return b, n
}

// Compiled is the number of functions that have code, without the base's.
func (p *Module) Compiled() int { return int(p.compiled.Load()) }

// Work returns what the compilation to register code has cost, for this module and its bases.
func (p *Module) Work() lazy.Work { return p.code.Work() }

// tables are the parts of a FuncCode that are written as rows of 32-bit words.
func (fc *FuncCode) tables() []table {
	return []table{
		tableOf(&fc.Sites), tableOf(&fc.Charges), tableOf(&fc.Maps), tableOf(&fc.Locals.Ptrs),
		tableOf(&fc.Locals.Masks), tableOf(&fc.Locals.Spans), tableOf(&fc.Locals.Runs),
	}
}

// A table is a slice of a FuncCode, viewed as 32-bit words.
type table struct {
	width int                  // words of a row
	words []uint32             // what it holds
	make  func(n int) []uint32 // gives it n rows and returns their words
}

// tableOf makes a table whose rows consist of 32-bit fields only.
func tableOf[T any](s *[]T) table {
	width := int(unsafe.Sizeof(*new(T)) / 4)
	words := func() []uint32 {
		return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(*s))), len(*s)*width)
	}
	return table{width, words(), func(n int) []uint32 {
		*s = make([]T, n)
		return words()
	}}
}

// scalars are the other parts.
func (fc *FuncCode) scalars() [6]int64 {
	return [6]int64{fc.FrameSize, int64(fc.Slots), int64(fc.Recover), int64(fc.LocalsSlot), fc.LocalsSize,
		int64(len(fc.Code))}
}

func (fc *FuncCode) append(b []byte, index int) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, uint32(index))
	for _, x := range fc.scalars() {
		b = le.AppendUint64(b, uint64(x))
	}
	tables := fc.tables()
	for _, t := range tables {
		b = le.AppendUint32(b, uint32(len(t.words)/t.width))
	}
	for _, w := range fc.Code {
		b = le.AppendUint64(b, w)
	}
	for _, t := range tables {
		for _, w := range t.words {
			b = le.AppendUint32(b, w)
		}
	}
	b = le.AppendUint32(b, uint32(len(fc.Lines)))
	return append(b, fc.Lines...)
}

var errStored = errors.New("bytecode: stored code is cut off or of another module")

// Restore is [NewModule] for functions whose code Save wrote for the same module. The bodies of the
// module's functions may be missing: see Options.Body.
func Restore(base *Module, mod *ir.Module, b []byte) (*Module, error) {
	r := reader{decode.Reader{B: b}}
	first := r.U32()
	keys := make([]string, r.Count(4))
	for i := range keys {
		keys[i] = string(r.Bytes(uint64(r.U32())))
	}
	n := r.Count(64)
	if r.Short {
		return nil, errStored
	}
	p, err := newProgram(base, mod, keys)
	if err != nil {
		return nil, err
	}
	if p.code.Sigs.First() != first || p.code.Sigs.Count() != len(keys) {
		return nil, errStored
	}
	for range n {
		fc, i := r.function()
		if r.Short || i < max(1, p.code.First()) || i >= mod.NumFuncs() || p.Code(int32(i)) != nil || fc.Slots < 0 ||
			fc.Recover < 0 || fc.Recover >= len(fc.Code) {
			return nil, errStored
		}
		fc.Fn = mod.Func(i)
		if err := (maker{p}).Place(fc); err != nil {
			return nil, err
		}
		p.code.Set(int32(i), fc)
	}
	if len(r.B) != 0 {
		return nil, errStored
	}
	return p, nil
}

// A reader takes stored code apart.
type reader struct{ decode.Reader }

func (r *reader) function() (fc *FuncCode, index int) {
	fc = &FuncCode{}
	index = int(int32(r.U32()))
	var words uint64
	for i, dst := range []*int{nil, &fc.Slots, &fc.Recover, &fc.LocalsSlot, nil, nil} {
		x := r.U64()
		switch {
		case dst != nil:
			*dst = int(x)
		case i == 0:
			fc.FrameSize = int64(x)
		case i == 4:
			fc.LocalsSize = int64(x)
		default:
			words = x
		}
	}
	tables := fc.tables()
	rows := make([]int, len(tables))
	for i, t := range tables {
		rows[i] = r.Count(4 * t.width)
	}
	if words <= HeaderWords || words > uint64(len(r.B))/8 {
		r.Short = true
		return fc, index
	}
	fc.Code = make([]uint64, words)
	for i, b := 0, r.Bytes(8*words); i < len(fc.Code); i++ {
		fc.Code[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	for i, t := range tables {
		b := r.Bytes(uint64(rows[i] * t.width * 4))
		if r.Short {
			break
		}
		for j, dst := 0, t.make(rows[i]); j < len(dst); j++ {
			dst[j] = binary.LittleEndian.Uint32(b[4*j:])
		}
	}
	fc.Lines = slices.Clone(r.Bytes(uint64(r.U32())))
	return fc, index
}
