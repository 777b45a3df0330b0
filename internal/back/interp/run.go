package interp

import (
	"errors"
	"math"
	"unsafe"

	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
)

//go:generate go run ./loop/gen

// A runLoop executes instructions until something is due that a Go function must do.
// run_generated.go holds the two loops; package loop is their source. runPlain is for daily use;
// runObserved profiles, traces and counts. They are separate functions, so that observation costs
// the plain loop no instruction. runPlain calls nothing, so Go keeps the registers of the machine in
// registers: pc, fp, base and gas in every instruction.
//
// gas counts down to the next event: below 0 a loop charge leaves the loop, below Plim a plain one
// does (see exec/gas.go).
//
// The first parameter is unused. It exists for the Go compiler on amd64: it takes the register AX,
// so the machine arrives in BX and stays there. In AX the machine would have to give way to every
// division and wide product, and the plain loop would have 44 more moves.
type runLoop func(_ uintptr, m *Machine) exit

// runLoop returns the loop of the machine's mode.
func (m *Machine) runLoop() runLoop {
	if m.ops != nil || m.trace != nil || m.CPU != nil || m.tallies {
		return runObserved
	}
	return runPlain
}

// execute alternates between the run loop and the work of Go functions.
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
	exitSlow   exit = iota // Go functions execute the instruction; pc is after its first word
	exitGas                // a plain charge went below m.Plim; execution continues at pc
	exitLoop               // a loop charge went below 0; execution continues at pc
	exitTrap               // the check of the instruction failed; pc is after its first word
	exitEnter              // a frame was entered: the stack, the guest's stack limit or the gas is short
	exitCall               // the call names no function that it may call; pc is after the instruction
	exitFail               // an instruction that is never executed
	exitSample             // a sample of the time is due; execution continues at pc
)

// Operands of an instruction: slots named by its fields.

//go:nocheckptr
func ra(fp unsafe.Pointer, w uint64) uint64 {
	return *(*uint64)(unsafe.Add(fp, uintptr(uint16(w>>16))*8))
}

// counter returns the counter of coverage that an instruction names.
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

// slot returns the slot with a number.
//
//go:nocheckptr
func slot(fp unsafe.Pointer, i uint16) *uint64 { return (*uint64)(unsafe.Add(fp, uintptr(i)*8)) }
