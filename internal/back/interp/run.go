package interp

import (
	"errors"
	"math"
	"unsafe"

	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
)

//go:generate go run ./loop/gen

// A runLoop executes instructions until something is due that a Go function must
// do. There are two, in run_generated.go, made of what stands in package loop: runPlain
// for daily use, and runObserved, which profiles, traces and counts. They are functions of
// their own, so that observation costs the plain loop no instruction. runPlain calls
// nothing, so that Go keeps the registers of the machine in registers: pc, fp, base and gas
// in every instruction.
//
// gas counts down to the next event: below 0 a loop charge leaves the loop,
// below Plim a plain one does (see exec/gas.go).
//
// The first parameter is there for the compiler of Go on amd64, and not used. It takes the
// register AX, so the machine comes in BX and stays there; in AX it would have to
// give way to every division and wide product, and the plain loop has 44 more moves.
type runLoop func(_ uintptr, m *Machine) exit

// runLoop returns the loop of the machine's mode.
func (m *Machine) runLoop() runLoop {
	if m.ops != nil || m.trace != nil || m.CPU != nil || m.tallies {
		return runObserved
	}
	return runPlain
}

// execute alternates between the run loop and what Go functions have to do.
func (m *Machine) execute(run runLoop) rt.Status {
	for {
		st := rt.OK
		why := run(0, m)
		if m.trace != nil {
			m.trace.sync()
		}
		if m.CPU != nil {
			m.CPU.Sample()
		}
		switch why {
		case exitSlow:
			st = m.slowOp()
		case exitGas:
			st = m.gasEvent(false)
		case exitLoop:
			st = m.gasEvent(true)
		case exitTrap:
			st = m.trap()
		case exitEnter:
			st = m.enter()
		case exitCall:
			st = m.badCall()
		case exitFail:
			st = m.Fail("run", errors.New("unreachable code was reached"))
		}
		if st != rt.OK {
			m.SyncGas()
			return st
		}
	}
}

// An exit says why the run loop stopped. The registers are back in the machine.
type exit int

const (
	exitSlow   exit = iota // the instruction is one that Go functions do; pc is behind its first word
	exitGas                // a plain charge went below m.Plim; pc is where execution goes on
	exitLoop               // a loop charge went below 0; pc is where execution goes on
	exitTrap               // the check of the instruction failed; pc is behind its first word
	exitEnter              // a frame was entered: the stack, the guest's stack limit or the gas is short
	exitCall               // the call names no function that it may call; pc is behind the instruction
	exitFail               // an instruction that is never executed
	exitSample             // a sample of the time is due; pc is where execution goes on
)

// Operands of an instruction: slots named by its fields.

//go:nocheckptr
func ra(fp unsafe.Pointer, w uint64) uint64 {
	return *(*uint64)(unsafe.Add(fp, uintptr(uint16(w>>16))*8))
}

// counter is the counter of coverage that an instruction names.
//
//go:nocheckptr
func counter(base unsafe.Pointer, w uint64) *uint64 {
	return (*uint64)(unsafe.Add(base, memory.Counters+int64(w>>32)*8))
}

//go:nocheckptr
func rb(fp unsafe.Pointer, w uint64) uint64 {
	return *(*uint64)(unsafe.Add(fp, uintptr(uint16(w>>32))*8))
}

//go:nocheckptr
func rc(fp unsafe.Pointer, w uint64) uint64 { return *(*uint64)(unsafe.Add(fp, uintptr(w>>48)*8)) }

//go:nocheckptr
func pa(fp unsafe.Pointer, w uint64) *uint64 {
	return (*uint64)(unsafe.Add(fp, uintptr(uint16(w>>16))*8))
}

//go:nocheckptr
func fa(fp unsafe.Pointer, w uint64) float64 {
	return *(*float64)(unsafe.Add(fp, uintptr(uint16(w>>16))*8))
}

//go:nocheckptr
func fb(fp unsafe.Pointer, w uint64) float64 {
	return *(*float64)(unsafe.Add(fp, uintptr(uint16(w>>32))*8))
}

//go:nocheckptr
func fc(fp unsafe.Pointer, w uint64) float64 {
	return *(*float64)(unsafe.Add(fp, uintptr(w>>48)*8))
}

//go:nocheckptr
func qa(fp unsafe.Pointer, w uint64) *float64 {
	return (*float64)(unsafe.Add(fp, uintptr(uint16(w>>16))*8))
}

func f32(x uint64) float32 { return math.Float32frombits(uint32(x)) }
func u32(x float32) uint64 { return uint64(math.Float32bits(x)) }

// slot is the slot with a number.
//
//go:nocheckptr
func slot(fp unsafe.Pointer, i uint16) *uint64 { return (*uint64)(unsafe.Add(fp, uintptr(i)*8)) }
