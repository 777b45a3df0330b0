package enum

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

// Accesses is the space of short sequences of accesses to one object.
type Accesses struct {
	letters []access // the alphabet, loads and stores first
	words   uint64   // how many of them are loads and stores
}

const (
	objectBytes = 16
	maxAccesses = 4
)

// An access is one operation on the object.
type access struct {
	op       ir.Op
	typ      ir.Type
	by, from int8 // which of the two addresses; from: of a move's source
	off, src int64
	size     int64
	value    stores
}

// stores says which value a store stores.
type stores uint8

const (
	aVariable stores = iota
	theLast          // the last loaded value, converted to the type; a variable if nothing was loaded
	zero
)

// A layout says what the two addresses point to: the same object or two, in data, in the frame, or
// unknown.
type layout uint8

const (
	twoPointers layout = iota // parameters of the function: they may be the same, or overlap
	dataAndPointer
	frameAndPointer
	twoLocals
	oneLocal // both addresses are of one local, the second one 4 bytes later
	numLayouts
)

func (l layout) String() string {
	return []string{"two pointers", "data and a pointer", "a local and a pointer", "two locals",
		"a local and its middle"}[l]
}

// NewAccesses makes the space.
func NewAccesses() *Accesses {
	s := &Accesses{}
	types := []ir.Type{ir.I8, ir.I16, ir.I32, ir.I64, ir.F32, ir.F64}
	for _, t := range types {
		for by := range int8(2) {
			for off := int64(0); off+t.Size() <= objectBytes; off++ {
				s.letters = append(s.letters, access{op: ir.OpLoad, typ: t, by: by, off: off, size: t.Size()})
				for _, v := range []stores{aVariable, theLast, zero} {
					s.letters = append(s.letters, access{op: ir.OpStore, typ: t, by: by, off: off, size: t.Size(), value: v})
				}
			}
		}
	}
	s.words = uint64(len(s.letters))
	for _, size := range []int64{1, 3, 4, 8, 12, 16} {
		for by := range int8(2) {
			for off := int64(0); off+size <= objectBytes; off++ {
				s.letters = append(s.letters, access{op: ir.OpClear, by: by, off: off, size: size})
				for from := range int8(2) {
					for src := int64(0); src+size <= objectBytes; src++ {
						if size < 8 && src%4 != 0 {
							continue
						}
						s.letters = append(s.letters, access{op: ir.OpMove, by: by, from: from, off: off, src: src, size: size})
					}
				}
			}
		}
	}
	return s
}

func (s *Accesses) Name() string { return "access" }

// Size counts the sequences of 1 to maxAccesses letters in each layout, the short ones first.
func (s *Accesses) Size() (size uint64) {
	n := uint64(1)
	for range maxAccesses {
		n *= uint64(len(s.letters))
		size += n
	}
	return size * uint64(numLayouts)
}

// Program returns the sequence with a number. If the addresses are of the same nature, two
// sequences that only exchange them count as one.
func (s *Accesses) Program(n uint64) Program {
	p := &sequence{space: s, layout: layout(n % uint64(numLayouts))}
	n /= uint64(numLayouts)
	k := uint64(len(s.letters))
	length, size := 1, k
	for n >= size {
		n -= size
		size *= k
		length++
	}
	for range length {
		p.list = append(p.list, s.letters[n%k])
		n /= k
	}
	if (p.layout == twoPointers || p.layout == twoLocals) && p.list[0].by == 1 {
		return nil
	}
	return p
}

func (s *Accesses) number(p *sequence) (n uint64) {
	k, size := uint64(len(s.letters)), uint64(1)
	scale := uint64(1)
	for i, a := range p.list {
		n += scale * uint64(slices.Index(s.letters, a))
		scale *= k
		if i > 0 {
			size *= k
			n += size
		}
	}
	return n*uint64(numLayouts) + uint64(p.layout)
}

// Random draws a sequence of mostly three or four accesses, two in three of them loads and stores.
// In half of the sequences the offsets are multiples of four, since other accesses seldom overlap.
func (s *Accesses) Random(r *rand.Rand) uint64 {
	p := &sequence{space: s, layout: layout(r.IntN(int(numLayouts)))}
	even := r.IntN(2) == 0
	for n := 2 + r.IntN(3); len(p.list) < n; {
		a := s.letters[r.Uint64N(s.words)]
		if r.IntN(3) == 0 {
			a = s.letters[s.words+r.Uint64N(uint64(len(s.letters))-s.words)]
		}
		if !even || (a.off|a.src)%4 == 0 {
			p.list = append(p.list, a)
		}
	}
	return s.number(p)
}

// A sequence is a [Program]. Its results are the loaded values, and the final contents of the
// object.
type sequence struct {
	space *Accesses
	layout
	list []access
}

func (p *sequence) Number() uint64  { return p.space.number(p) }
func (p *sequence) Traps() bool     { return false }
func (p *sequence) Result() ir.Type { return ir.Void }
func (p *sequence) Bytes() int64    { return int64(len(p.list))*8 + 2*objectPlace }

// objectPlace is the room for an object among the results, including the largest distance of the
// second address.
const objectPlace = 2 * objectBytes

func (p *sequence) String() string {
	list := []string{p.layout.String()}
	for _, a := range p.list {
		list = append(list, a.String())
	}
	return strings.Join(list, "; ")
}

func (a access) String() string {
	at := func(by int8, off int64) string { return fmt.Sprintf("%c+%d", "pq"[by], off) }
	switch a.op {
	case ir.OpLoad:
		return fmt.Sprintf("load %v %s", a.typ, at(a.by, a.off))
	case ir.OpStore:
		return fmt.Sprintf("store %v %s %s", a.typ, at(a.by, a.off), []string{"a variable", "the last load", "0"}[a.value])
	case ir.OpClear:
		return fmt.Sprintf("clear %d %s", a.size, at(a.by, a.off))
	}
	return fmt.Sprintf("move %d %s %s", a.size, at(a.by, a.off), at(a.from, a.src))
}

// Build makes the accesses. Objects behind pointers are part of the results; a local is copied
// there at the end.
func (p *sequence) Build(s *Site) {
	add := func(q *ir.Value, n int64) *ir.Value { return s.Add(ir.OpPtrAdd, ir.Ptr, 0, q, s.Const(ir.I64, n)) }
	memory := s.at + int64(len(p.list))*8
	first, second := add(s.out, memory), add(s.out, memory+objectPlace)
	var locals []*ir.Value
	local := func(size int64, init *ir.Value) *ir.Value {
		q := s.Local(size)
		s.Add(ir.OpMove, ir.Void, objectBytes, q, init)
		locals = append(locals, q, init)
		return q
	}
	var at [2]*ir.Value
	switch p.layout {
	case twoPointers:
		// The second address is up to 8 bytes after the first, equal to it, or elsewhere.
		i := s.Variable(&variables[varLittle])
		near := s.Add(ir.OpPtrAdd, ir.Ptr, 0, first, i)
		c := s.Add(ir.OpLtU, ir.I8, 0, i, s.Const(ir.I64, 9))
		same := s.Add(ir.OpSelect, ir.Ptr, 0, s.Add(ir.OpEq, ir.I8, 0, s.Add(ir.OpAnd, ir.I64, 0, i, s.Const(ir.I64, 1)),
			s.Const(ir.I64, 0)), near, first)
		at = [2]*ir.Value{first, s.Add(ir.OpSelect, ir.Ptr, 0, c, same, second)}
	case dataAndPointer:
		q := s.Const(ir.Ptr, objectAddr)
		s.Add(ir.OpMove, ir.Void, objectBytes, q, first)
		locals = append(locals, q, first)
		at = [2]*ir.Value{q, second}
	case frameAndPointer:
		at = [2]*ir.Value{local(objectBytes, first), second}
	case twoLocals:
		at = [2]*ir.Value{local(objectBytes, first), local(objectBytes+8, second)}
	case oneLocal:
		q := local(2*objectBytes-8, first)
		s.Add(ir.OpClear, ir.Void, objectBytes-8, add(q, objectBytes))
		at = [2]*ir.Value{q, add(q, 4)}
	}
	var last *ir.Value
	for i, a := range p.list {
		to := at[a.by]
		switch a.op {
		case ir.OpLoad:
			last = s.loadAny(a.typ, a.off, to)
			s.Result(int64(i), last)
		case ir.OpStore:
			s.Add(ir.OpStore, ir.Void, a.off, to, a.stored(s, last))
		case ir.OpClear:
			s.Add(ir.OpClear, ir.Void, a.size, add(to, a.off))
		case ir.OpMove:
			v := s.Add(ir.OpMove, ir.Void, a.size, add(to, a.off), add(at[a.from], a.src))
			v.Aux2 = 1
		}
	}
	for i := 0; i < len(locals); i += 2 {
		s.Add(ir.OpMove, ir.Void, objectBytes, locals[i+1], locals[i])
	}
}

// stored returns the value that a store stores.
func (a access) stored(s *Site, last *ir.Value) *ir.Value {
	if a.value == zero {
		return s.Const(a.typ, 0)
	}
	if a.value == theLast && last != nil {
		switch {
		case last.Type == a.typ:
			return last
		case last.Type.IsInt() && a.typ.IsInt() && last.Type < a.typ:
			return s.Add(ir.OpSExt, a.typ, 0, last)
		case last.Type.IsInt() && a.typ.IsInt():
			return s.Add(ir.OpTrunc, a.typ, 0, last)
		case last.Type.Size() == a.typ.Size():
			return s.Add(ir.OpBitcast, a.typ, 0, last)
		}
	}
	return s.Variable(&variables[map[ir.Type]int{ir.I8: varX8, ir.I16: varX16, ir.I32: varX32, ir.I64: varX64,
		ir.F32: varF32, ir.F64: varF64}[a.typ]])
}

// Smaller returns the sequences without one of the accesses.
func (p *sequence) Smaller() (list []Program) {
	for i := range p.list {
		if len(p.list) > 1 {
			list = append(list, &sequence{p.space, p.layout, slices.Delete(slices.Clone(p.list), i, i+1)})
		}
	}
	return list
}
