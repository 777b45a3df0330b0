package plan

import (
	"slices"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// # Routines
//
// Routines that all functions share copy, clear, compare, search and hash few bytes, and do what the
// host's kernels (rt/kernels.go) do. They spare the way out of machine code. They take guest addresses and
// lengths. A routine that finds the work too large returns with the carry set and its operands untouched:
// then the handler does the work, in pieces. Those for kernels compute the same as the host, in the same
// order wherever operands overlap. Each processor has code of its own.

// Bounds of the bytes that a routine handles. Beyond them the host's own code is faster, with the way out
// of machine code and back, or, for the last two, it is as many bytes as may lie between two polls. Routines
// that search end at a match, which usually comes soon.
const (
	MoveMost    = 8 << 10 // copied or cleared
	CompareMost = 32 << 10
	HashMost    = 1 << 10
	SearchMost  = 64 << 10
	CountMost   = 64 << 10

	WordsMost = CountMost / 8 // words of vectors
)

// A Routine is code that all functions share, for an operation on bulk memory or for a kernel of the
// host.
type Routine struct {
	Op      ir.Op  // of bulk memory, or ir.OpHost
	Kernel  string // with ir.OpHost: the name of the host's function
	Args    []regalloc.Reg
	Clobber regalloc.RegSet
}

// bulkExits are the operations on bulk memory, and the reasons by which code asks the handler for
// them.
var bulkExits = [ir.NumOps]abi.Reason{
	ir.OpMoveN: abi.MoveExit, ir.OpClearN: abi.ClearExit, ir.OpMemEq: abi.MemEqExit,
	ir.OpMemHash: abi.MemHashExit, ir.OpIndexByte: abi.IndexByteExit, ir.OpMemCmp: abi.MemCmpExit,
}

// exit returns the reason by which code asks the handler to do the routine's work.
func (r *Routine) exit() abi.Reason {
	if r.Kernel != "" {
		return abi.KernelExit
	}
	return bulkExits[r.Op]
}

// RoutineName returns the name of routine number n, for listings; empty if it has none.
func (d *Desc) RoutineName(n int32) string {
	if n < 0 || int(n) >= len(d.Routines) {
		return ""
	}
	r := &d.Routines[n]
	if r.Kernel != "" {
		return "routine." + r.Kernel
	}
	return "routine." + ir.Ops[r.Op].Name
}

// routine returns the number of the routine for an operation, -1 if there is none. kernel is empty if
// it is one on bulk memory.
func (d *Desc) routine(op ir.Op, kernel string) int {
	return slices.IndexFunc(d.Routines, func(r Routine) bool { return r.Op == op && r.Kernel == kernel })
}

// bulk writes the call of a routine, and the out-of-line exit to the handler.
func (e *Emitter) bulk(r *regalloc.Inst, in *Inst) {
	routine := &e.cpu.Routines[in.Imm]
	slow, back := e.NewLabel(), e.NewLabel()
	e.callOut(abi.RelBulk, int32(in.Imm))
	e.asm.JumpIfLarge(slow)
	e.Bind(back)
	s := e.savingAt(r, in)
	e.Later(func() {
		e.Bind(slow)
		for i, reg := range routine.Args {
			e.asm.Store(S64, e.cpu.word(abi.Args+8*int32(i)), reg)
		}
		site := abi.Site{Reason: routine.exit(), Pos: in.V.Pos}
		if routine.Kernel != "" {
			site.A = in.V.Aux
		}
		e.leaveSaved(s, site, nil, nil)
		if len(r.Defs) > 0 {
			e.loadResult(e.cpu.RoutineResult)
		}
		e.asm.Goto(back)
	})
}
