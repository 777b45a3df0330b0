package interp

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync/atomic"
	"unsafe"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// Options are those of both tiers, and those of the interpreter alone.
type Options struct {
	exec.Options
	// Count selects a loop that counts instructions, see Machine.Instructions.
	Count bool
	// OpStats selects the slower loop that counts instructions, see Machine.OpStats.
	OpStats bool
	// Places has that loop count only how often each instruction is executed: see
	// Machine.Places.
	Places bool
	// CPUProfile selects the loop that takes samples, see sample.go.
	CPUProfile bool
	// GasProfile and MemProfile select the loop that reports every call and charge to a tracer,
	// see trace.go.
	GasProfile, MemProfile bool
}

// A Machine interprets one instance. It is not safe for concurrent use.
type Machine struct {
	exec.Core

	// Registers, valid while the run loop is not running.
	pc    uintptr
	fp    uintptr
	depth int64

	table  unsafe.Pointer // entry addresses by function
	nfuncs uint64
	slimit uintptr // end of the current stack
	low    uintptr // start of the current stack

	nan64 uint64 // what a NaN becomes in memory
	nan32 uint32

	prog      *bytecode.Module
	farReturn uintptr // see link
	args      ir.Args
	yielded   yielded

	freeInstructions uint64 // executed before the program's own initialisation

	cache   [64]siteCache
	tally   uint64
	tallies bool
	ops     *opCounts
	trace   *tracer            // nil: no profile of gas or memory
	ticks   *atomic.Uint32     // of CPU
	hits    map[uintptr]uint64 // samples, by address of the instruction; nil: none are taken
	last    uintptr            // address of the instruction that was executed last, for one sample
}

// New makes a machine for the instance vm of prog's module and becomes its rt.Exec. It fails if the
// module names a host function that does not exist.
func New(vm *rt.VM, prog *bytecode.Module, c Options) (*Machine, error) {
	m := &Machine{prog: prog}
	return m, m.init(vm, c)
}

// Renew prepares a released machine of prog's module for a new instance, as New would make it. It
// does nothing if the machine is not one of prog's. Its knowledge of the module's code stays.
func (m *Machine) Renew(vm *rt.VM, prog *bytecode.Module, c Options) (renewed bool, err error) {
	if m.prog != prog {
		return false, nil
	}
	*m = Machine{Core: m.Core, prog: prog, cache: m.cache}
	return true, m.init(vm, c)
}

func (m *Machine) init(vm *rt.VM, c Options) error {
	prog := m.prog
	if err := m.Init(vm, (*tier)(m), c.Options); err != nil {
		return err
	}
	t, n := prog.Table()
	m.table, m.nfuncs = t, uint64(n)
	m.farReturn = prog.FarReturn()
	m.nan64, m.nan32 = vm.MemoryNaN()
	m.tallies = c.Count
	if c.OpStats || c.Places {
		m.ops = newOpCounts()
	}
	if c.Places {
		m.ops.places = map[uintptr]uint64{}
	}
	if c.CPUProfile {
		m.hits = map[uintptr]uint64{}
		m.startCPU()
	}
	if c.GasProfile || c.MemProfile {
		m.trace = newTracer(m, c.MemProfile)
		if c.MemProfile {
			vm.Watch = m.trace
			vm.Heap.SetWatch(true)
		}
	}
	vm.Exec = m
	return nil
}

// Run runs the program from its entry to its end and returns how it ended: never OK or Switch.
// After [rt.Yield] Run resumes where it was, by calling the host function again that yielded. After
// any other end the machine has run for good.
func (m *Machine) Run() (st rt.Status) {
	resume, st := m.Begin()
	if st != rt.OK {
		return st
	}
	if m.CPU != nil {
		m.CPU.Start()
	}
	old := debug.SetPanicOnFault(true)
	traced, over := false, false
	defer func() { // one for all, and no recover unless something panicked: every call goes through here
		if traced && !m.VM.Gone() {
			m.trace.finish()
		}
		if !over {
			if r := recover(); r != nil {
				m.noteFault()
				st = m.Fault(r)
			}
		}
		debug.SetPanicOnFault(old)
		if m.CPU != nil {
			m.leaveProfile()
		}
		m.End(st)
	}()
	if !resume {
		st = m.start()
	} else {
		st = m.host(m.yielded.i, m.yielded.base)
	}
	if st == rt.OK {
		m.SetGas()
		traced = m.trace != nil
		st = m.execute(m.runLoop())
	}
	over = true
	return st
}

// leaveProfile ends the part of a run in a profile of time.
func (m *Machine) leaveProfile() {
	if m.VM.Gone() {
		m.CPU.Abandon()
		return
	}
	m.CPU.Stop()
}

// noteFault finds the instruction that faulted: the loops keep the registers up to date.
func (m *Machine) noteFault() {
	if fc, off := m.prog.FuncAt(m.pc); fc != nil {
		m.FaultedAt(fc.PosAt(off - 1)) // the registers are past its first word, or its last one
	}
}

// bulk notes where an access to bulk memory failed.
func (m *Machine) bulk(st rt.Status) rt.Status {
	if st == rt.Failed {
		m.noteFault()
	}
	return st
}

// pointer makes a pointer of an address outside of Go's heap, or of memory that another pointer
// keeps alive.
//
//go:nocheckptr
func pointer(a uintptr) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(nil), a) }

func (m *Machine) badCall() rt.Status {
	return m.Fail("call", errors.New("function value of another type or no function at all"))
}

// entryOf returns the address of a function's first instruction.
func (m *Machine) entryOf(f int32) unsafe.Pointer {
	return atomic.LoadPointer((*unsafe.Pointer)(unsafe.Add(m.table, uintptr(f)*8)))
}

// push makes a frame for a call of function f that the code does not contain: a trap or preempt.
// The frame begins base slots above the current one. Execution comes back to m.pc.
func (m *Machine) push(f int32, base int) {
	m.link(base)
	m.jumpTo(f)
}

// link begins a frame base slots above the current one. From there execution comes back to m.pc. If
// the link word cannot hold the base, it is kept before the frame, with the return address.
func (m *Machine) link(base int) {
	m.fp += uintptr(base) * 8
	fp := pointer(m.fp)
	if base <= math.MaxUint16 {
		*(*uint64)(fp) = uint64(m.pc) | uint64(base)<<48
		return
	}
	*(*[2]uint64)(unsafe.Add(fp, -16)) = [2]uint64{uint64(base), uint64(m.pc)}
	*(*uint64)(fp) = uint64(m.farReturn)
}

// jumpTo enters function f in the current frame and charges what its header says.
func (m *Machine) jumpTo(f int32) {
	e := m.entryOf(f)
	m.pc = uintptr(e)
	m.Gas -= int64(*(*uint64)(unsafe.Add(e, -16)) >> 32)
	m.depth -= int64(*(*uint64)(unsafe.Add(e, -8)) >> 32)
}

// enter handles what ran short after a frame was entered: m.pc is the entry of the function, whose
// header has been charged.
func (m *Machine) enter() rt.Status {
	e := pointer(m.pc)
	head := *(*uint64)(unsafe.Add(e, -8))
	gas := int64(*(*uint64)(unsafe.Add(e, -16)) >> 32)
	if need := uintptr(uint32(head)); m.fp+need > m.slimit {
		if st := m.growStack(need); st != rt.OK {
			m.Gas += gas
			return st
		}
	}
	if m.depth < 0 && head>>32 != ir.LeafFrame {
		// The entry's charge comes after the stack.
		m.Gas += gas
		if st := m.growGuest(); st != rt.OK {
			return st
		}
		m.Gas -= gas
	}
	if m.Gas < m.Plim {
		return m.gasEvent(false)
	}
	return rt.OK
}

// call enters f from a frame that push would make, with all checks.
func (m *Machine) call(f int32, base int) rt.Status {
	m.push(f, base)
	return m.enter()
}

// word returns the first word of the instruction that the loop left. It is just before m.pc.
func (m *Machine) word() uint64 { return *(*uint64)(pointer(m.pc - 8)) }

// sliceLen returns the length in the slice header that an SLoad or SStore with extension word e
// uses.
func (m *Machine) sliceLen(p, e uint64) uint64 {
	return *(*uint64)(unsafe.Add(m.Base, uint64(uint32(p))+uint64(uint16(e))+8))
}

// failures finds the number of the trap and the operands of the message in an instruction with
// first word w, as bytecode.Failures says.
var failures = [bytecode.NumFailures]func(m *Machine, fp unsafe.Pointer, w uint64) (kind, x, y uint64){
	bytecode.NilFails: func(*Machine, unsafe.Pointer, uint64) (kind, x, y uint64) { return uint64(ir.TrapNil), 0, 0 },
	bytecode.SlotsFail: func(_ *Machine, fp unsafe.Pointer, w uint64) (kind, x, y uint64) {
		return w >> 48, ra(fp, w), rb(fp, w)
	},
	bytecode.SlotImmFails: func(_ *Machine, fp unsafe.Pointer, w uint64) (kind, x, y uint64) {
		return w >> 48, ra(fp, w), uint64(bytecode.ImmB(w))
	},
	bytecode.ImmSlotFails: func(_ *Machine, fp unsafe.Pointer, w uint64) (kind, x, y uint64) {
		return w >> 48, uint64(bytecode.ImmB(w)), ra(fp, w)
	},
	bytecode.ConditionFails: func(_ *Machine, _ unsafe.Pointer, w uint64) (kind, x, y uint64) {
		return uint64(bytecode.B(w)), 0, 0
	},
	bytecode.MessageFails: func(m *Machine, fp unsafe.Pointer, w uint64) (kind, x, y uint64) {
		return m.ahead(), rb(fp, w), rc(fp, w)
	},
	bytecode.LoadFails: func(m *Machine, fp unsafe.Pointer, w uint64) (kind, x, y uint64) {
		return m.ahead() >> 32 & 0xffff, rc(fp, w), *slot(fp, uint16(m.ahead()))
	},
	bytecode.StoreFails: func(m *Machine, fp unsafe.Pointer, w uint64) (kind, x, y uint64) {
		return m.ahead() >> 32 & 0xffff, rb(fp, w), *slot(fp, uint16(m.ahead()))
	},
	bytecode.SliceLoadFails: func(m *Machine, fp unsafe.Pointer, w uint64) (kind, x, y uint64) {
		return m.ahead() >> 16 & 0xffff, rc(fp, w), m.sliceLen(rb(fp, w), m.ahead())
	},
	bytecode.SliceStoreFails: func(m *Machine, fp unsafe.Pointer, w uint64) (kind, x, y uint64) {
		return m.ahead() >> 16 & 0xffff, rb(fp, w), m.sliceLen(ra(fp, w), m.ahead())
	},
	bytecode.AddressFails: func(m *Machine, fp unsafe.Pointer, w uint64) (kind, x, y uint64) {
		return m.ahead() >> 48, rc(fp, w), *slot(fp, uint16(m.ahead()))
	},
}

// ahead returns the extension word, at m.pc, of the instruction that the loop left.
func (m *Machine) ahead() uint64 { return *(*uint64)(pointer(m.pc)) }

// trap calls the guest's function for the check that failed.
func (m *Machine) trap() rt.Status {
	fp := pointer(m.fp)
	w := m.word()
	find := failures[bytecode.Failures[bytecode.OpOf(w)]]
	if find == nil {
		return m.Fail("trap", fmt.Errorf("no trap of %v", bytecode.OpOf(w)))
	}
	kind, x, y := find(m, fp, w)
	f := m.Trap(kind)
	if f == 0 {
		return m.Fail("trap", fmt.Errorf("no function for trap %d", kind))
	}
	fc, _ := m.prog.FuncAt(m.pc)
	if fc == nil {
		return m.Fail("trap", memory.ErrCorrupt)
	}
	base := fc.Slots
	*(*[2]uint64)(unsafe.Add(fp, (base+2)*8)) = [2]uint64{x, y}
	return m.call(f, base)
}
