package enum

import (
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// Addresses in the memory of a batch's module.
const (
	frameAddr   = ir.DataBase      // the activation that continues after a trap
	placeAddr   = ir.DataBase + 8  // where its results go
	scratchAddr = ir.DataBase + 16 // 16 bytes to store to and load from
	tableAddr   = ir.DataBase + 64 // tableLen numbers
	objectAddr  = ir.DataBase + 256
	rowsAddr    = ir.DataBase + 1024
)

const (
	tableLen = 8
	trapped  = 0x7472_6170 // the result of a program that trapped
)

// A Site is the place in a function where a program is built.
type Site struct {
	irtest.Builder
	row, out *ir.Value // addresses of the operands and results
	at       int64     // of the program's results after out
	vars     [len(variables)]*ir.Value
	local    bool       // scratch memory is in the frame
	returned **ir.Value // if not nil, the result goes here
}

// Variable returns the value of a variable.
func (s *Site) Variable(v *variable) *ir.Value {
	if s.vars[v.number] == nil {
		s.vars[v.number] = s.Add(ir.OpLoad, v.typ, int64(v.number)*8, s.row)
	}
	return s.vars[v.number]
}

// Scratch returns the address of 16 bytes with any contents.
func (s *Site) Scratch() *ir.Value {
	if !s.local {
		return s.Const(ir.Ptr, scratchAddr)
	}
	return s.Local(16)
}

// Local returns the address of the function's local of a size.
func (s *Site) Local(size int64) *ir.Value {
	for i, l := range s.F.Locals {
		if l.Size == size {
			return s.Add(ir.OpLocalAddr, ir.Ptr, int64(i))
		}
	}
	return s.Add(ir.OpLocalAddr, ir.Ptr, s.F.AddLocal(ir.Local{Name: "scratch", Size: size, Align: 8}))
}

// Result stores a value as the program's result number i.
func (s *Site) Result(i int64, v *ir.Value) {
	if s.returned != nil {
		*s.returned = v
		return
	}
	s.Add(ir.OpStore, ir.Void, s.at+8*i, s.out, v)
}

// Element returns the element of the table at an index, after the check of the index against a
// length.
func (s *Site) Element(i, n *ir.Value) *ir.Value {
	s.Add(ir.OpBounds, ir.Void, int64(ir.TrapIndex), i, n)
	return s.Add(ir.OpLoad, ir.I64, 0, s.Add(ir.OpPtrIdx, ir.Ptr, 8, s.Const(ir.Ptr, tableAddr), i))
}

// Join continues after branches that each have a result of their own.
func (s *Site) Join(branches ...*irtest.Builder) {
	end := s.F.NewBlock()
	for i, b := range branches {
		b.Add(ir.OpStore, ir.Void, s.at, s.out, b.Const(ir.I64, int64(11*(i+1))))
		b.Jump(end)
	}
	s.B = end
}

// Switch branches by a number.
func (s *Site) Switch(x *ir.Value, cases []int64) {
	head := s.B
	head.Kind, head.Ctrl, head.Cases = ir.BlockSwitch, x, cases
	var branches []*irtest.Builder
	for range len(cases) + 1 {
		b := &irtest.Builder{F: s.F, B: s.F.NewBlock()}
		head.AddEdge(b.B)
		branches = append(branches, b)
	}
	s.Join(branches...)
}

// loadAny loads from memory that may hold another type. Only functions that use package unsafe do so.
func (s *Site) loadAny(t ir.Type, off int64, p *ir.Value) *ir.Value {
	if t.IsFloat() {
		s.F.Flags |= ir.Unsafe
	}
	return s.Add(ir.OpLoad, t, off, p)
}
