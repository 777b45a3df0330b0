package native

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"syscall"
	"unsafe"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A Machine runs one instance in machine code. It is not safe for concurrent use.
type Machine struct {
	exec.Core

	prog     *Module
	stack    stackPlace
	status   rt.Status // how the run ended, when Handle returns false
	cache    [128]siteCache
	steps    [128]step
	fault    siteCache // where code faulted
	waits    yieldSite // where code last waited for the next call of the host
	counters []uint64  // of blocks and of coverage; nil: the code does not count
	self     Handler   // the machine as the handler of its exits: one for all runs, as taking its address allocates
}

// stackPlace is the place of the current stack.
type stackPlace struct {
	end    uintptr // of its memory
	top    uintptr // where its frames begin
	bottom uintptr // lowest address that frames may use
}

// A yieldSite caches yield's knowledge of a return address.
type yieldSite struct {
	pc    uintptr
	below uint64 // see abi.Site.Below
}

// topWords are the words above the first frame: the closure that the stack calls, and a spare one.
const topWords = 2

// New makes a machine for the instance vm of prog's module and becomes its rt.Exec.
func New(vm *rt.VM, prog *Module, c exec.Options) (*Machine, error) {
	if err := handleFaults(); err != nil {
		return nil, fmt.Errorf("native: a handler for faults: %w", err)
	}
	m := &Machine{prog: prog}
	m.self = m
	return m, m.init(vm, c)
}

// Renew prepares a released machine of prog's module for a new instance, as New would make it. It
// does nothing if the machine is not one of prog's. Its knowledge of the module's code stays.
func (m *Machine) Renew(vm *rt.VM, prog *Module, c exec.Options) (renewed bool, err error) {
	if m.prog != prog {
		return false, nil
	}
	m.stack, m.status, m.fault, m.waits, m.counters = stackPlace{}, 0, siteCache{}, yieldSite{}, nil
	return true, m.init(vm, c)
}

func (m *Machine) init(vm *rt.VM, c exec.Options) error {
	prog := m.prog
	if prog.Opts.Tally != nil {
		var err error
		if m.counters, err = vm.Space.Counters(memory.MaxCounters); err != nil {
			return err
		}
	}
	c.Down = true
	if err := m.Init(vm, (*tier)(m), c); err != nil {
		return err
	}
	*m.word(abi.Exit) = uint64(prog.host.exit())
	*m.word(abi.Table), *m.word(abi.Sigs) = uint64(prog.table), uint64(prog.sigTable())
	*m.word(abi.NumFuncs) = uint64(prog.Mod.NumFuncs())
	nan64, nan32 := vm.MemoryNaN()
	*m.word(abi.NaN64), *m.word(abi.NaN32) = nan64, uint64(nan32)
	vm.Exec = m
	return nil
}

// word returns a word of the context.
func (m *Machine) word(off int) *uint64 { return (*uint64)(unsafe.Add(m.Base, off)) }

func (m *Machine) half(off int) *uint32 { return (*uint32)(unsafe.Add(m.Base, off)) }

// args are the arguments and results of an exit.
func (m *Machine) args() *ir.Args {
	return (*ir.Args)(unsafe.Add(m.Base, abi.Args))
}

// Run runs the program from its entry to its end and returns how it ended: never OK or Switch.
// After [rt.Yield] Run resumes where it was, by calling the host function again that yielded. After
// any other end the machine has run for good.
func (m *Machine) Run() (st rt.Status) {
	resume, st := m.Begin()
	if st != rt.OK {
		return st
	}
	old := debug.SetPanicOnFault(true)
	over := false
	defer func() {
		debug.SetPanicOnFault(old)
		if !over {
			if r := recover(); r != nil {
				st = m.Fault(r)
			}
		}
		m.End(st)
	}()
	if !resume {
		id, st := m.newStack(0, m.prog.start+uintptr(m.prog.stubs.Main))
		if st != rt.OK {
			return st
		}
		m.load(m.Select(id))
		m.SetGas()
	} else {
		if st := m.again(); st != rt.OK {
			return st
		}
	}
	m.enterCode()
	m.status = rt.OK
	m.prog.host.enter(m.Base, &m.self)
	over = true
	return m.status
}

// leaveCode takes the values that code keeps in the context; enterCode puts them back.
func (m *Machine) leaveCode() {
	m.Gas = int64(*m.word(abi.Gas))
	if n := int32(*m.half(abi.Moves)); n != 0 {
		*m.half(abi.Moves) = 0
		if n > 0 {
			m.EnteredSpare()
		} else {
			m.LeftChunk()
		}
	}
	m.SSP, m.SLim = *m.half(abi.SSP), *m.half(abi.SLim)
	m.Heap.Cur, m.Heap.Mallocs = *m.half(abi.Cur), *m.word(abi.Mallocs)
}

func (m *Machine) enterCode() {
	*m.word(abi.Gas), *m.word(abi.Plim) = uint64(m.Gas), uint64(m.Plim)
	*m.half(abi.SSP), *m.half(abi.SLim) = m.SSP, m.SLim
	if c, changed := m.Chunks(); changed {
		*m.half(abi.Spare), *m.half(abi.SpareEnd) = c.Spare, c.SpareEnd
		*m.half(abi.Chunk), *m.half(abi.Before) = c.Last, c.Before
	}
	*m.half(abi.Cur), *m.half(abi.CurEnd), *m.word(abi.Mallocs) = m.Heap.Cur, m.Heap.Limit, m.Heap.Mallocs
}

// Handle implements Handler: code has left.
func (m *Machine) Handle() bool {
	m.leaveCode()
	switch why := m.word(abi.Why); *why {
	case uint64(abi.YieldExit):
		*why = 0
		if m.status = m.yield(); m.status != rt.OK {
			return false
		}
		m.enterCode()
		return true
	case uint64(abi.FaultExit):
		m.status = m.faulted()
		return false
	}
	sp := uintptr(*m.word(abi.SP))
	ret := *(*uint64)(pointer(sp))
	c, s := m.at(uintptr(ret))
	if s == nil {
		m.status = m.Fail("run", memory.ErrCorrupt)
		return false
	}
	var st rt.Status
	if *m.word(abi.Why) != 0 {
		*m.word(abi.Why) = 0
		st = m.compile(s)
	} else {
		st = m.handle(c, s, sp)
	}
	if m.status = st; st != rt.OK {
		return false
	}
	m.enterCode()
	return true
}

// handle does what the site asks for. Its return address is on top of the stack.
func (m *Machine) handle(c *code, s *abi.Site, sp uintptr) rt.Status {
	a := m.args()
	*m.word(abi.Limit) -= uint64(s.Below())
	switch s.Reason {
	case abi.GasExit, abi.LoopExit:
		call, st := m.GasEvent(s.Reason == abi.LoopExit, s.Pos)
		if st == rt.OK && call != 0 {
			// It returns to where code has left.
			return m.jump(call)
		}
		return st
	case abi.EnterExit:
		return m.grow()
	case abi.NewExit:
		addr, st := m.New(uint32(s.A), uint64(s.B))
		a[0] = addr
		return m.pay(st)
	case abi.ArrayExit:
		count := a[0]
		if count > 1<<32 || count*uint64(s.B) >= 1<<32 {
			return rt.OutOfMemory
		}
		addr, st := m.New(uint32(s.A), count*uint64(s.B))
		a[0] = addr
		return m.pay(st)
	case abi.HostExit:
		st := m.CallHost(uint32(s.A), a)
		if st == rt.Switch {
			m.switchStack()
			return rt.OK
		}
		return m.pay(st)
	case abi.LocalsExit:
		return m.PushChunk(uint32(s.A), m.localWords(c, s, sp))
	case abi.UnlocalExit:
		return m.PopChunk(uint32(a[0]))
	case abi.UnwindExit:
		return m.unwind(a[0])
	case abi.MoveExit:
		return m.Move(a[0], a[1], a[2])
	case abi.ClearExit:
		return m.Clear(a[0], a[1])
	case abi.MemEqExit:
		return m.MemEq(&a[0], a[0], a[1], a[2])
	case abi.MemCmpExit:
		return m.MemCmp(&a[0], a[0], a[1], a[2], a[3])
	case abi.MemHashExit:
		return m.MemHash(&a[0], a[0], a[1], a[2])
	case abi.IndexByteExit:
		return m.IndexByte(&a[0], a[0], a[1], a[2])
	case abi.KernelExit:
		return m.CallHost(uint32(s.A), a)
	case abi.FMA32Exit:
		f := func(i int) float32 { return math.Float32frombits(uint32(a[i])) }
		a[0] = uint64(math.Float32bits(exec.FMA32(f(0), f(1), f(2))))
		return rt.OK
	case abi.FMA64Exit:
		f := func(i int) float64 { return math.Float64frombits(a[i]) }
		a[0] = math.Float64bits(math.FMA(f(0), f(1), f(2)))
		return rt.OK
	case abi.BadCallExit:
		return m.badCall()
	case abi.TrapExit:
		return m.Fail("trap", fmt.Errorf("no function for trap %d", s.A))
	case abi.EndExit:
		if m.CurStack() == 1 {
			return m.LastLook(rt.Exit)
		}
		return m.Fail("run", errors.New("the first function of an execution stack returned"))
	case abi.FailExit:
		return m.Fail("run", errors.New("unreachable code was reached"))
	}
	return m.Fail("run", memory.ErrCorrupt)
}

// again repeats the call that ended the run with rt.Yield.
func (m *Machine) again() rt.Status {
	i, usual := m.Yielder()
	if usual {
		return m.yield()
	}
	return m.pay(m.CallHost(i, m.args())) // code has left as for any other call
}

// yield calls the host function that may end the run with rt.Yield.
func (m *Machine) yield() rt.Status {
	st := m.Yield(m.args())
	if st != rt.OK {
		return st
	}
	pc := uintptr(*(*uint64)(pointer(uintptr(*m.word(abi.SP)))))
	if pc != m.waits.pc { // the same for all calls
		m.waits = yieldSite{pc: pc}
		if _, s := m.at(pc); s != nil {
			m.waits.below = uint64(s.Below())
		}
	}
	*m.word(abi.Limit) -= m.waits.below
	if m.Pays() {
		st = m.pay(st)
	}
	return st
}

// pay calls the function that charges for collections if a payment is due. It returns to where code
// has left, which then takes its results.
func (m *Machine) pay(st rt.Status) rt.Status {
	if st == rt.OK {
		if f := m.Payment(); f != 0 {
			return m.jump(f)
		}
	}
	return st
}

// faulted ends the run of code that has faulted, presumably because the guest has no memory at the
// address.
func (m *Machine) faulted() rt.Status {
	pc, at := uintptr(*m.word(abi.PC)), uintptr(*m.word(abi.Fault))
	known := *m.word(abi.Signal) == uint64(syscall.SIGSEGV) && m.Faults(at)
	if c := m.prog.at(pc); c != nil && c.Fn != nil {
		m.fault = siteCache{pc, c, &abi.Site{Pos: c.line(pc)}}
		m.Gas -= c.owed(pc)
	} else if known {
		// In a routine for bulk memory the run was at the function that called it.
		sp, ret := *m.word(abi.SP), uintptr(*m.word(abi.LinkReg))
		if ret == 0 {
			ret = uintptr(*(*uint64)(pointer(uintptr(sp))))
			sp += 8
		}
		if c := m.prog.at(ret); c != nil && c.Fn != nil {
			m.fault = siteCache{ret, c, &abi.Site{Pos: c.line(ret - 1)}}
			m.Gas -= c.owed(ret - 1)
			*m.word(abi.SP) = sp
		}
	}
	if known {
		return m.FaultAt(at)
	}
	name := "a stub"
	if c := m.fault.c; c != nil {
		name = fmt.Sprintf("%s+%#x", c.Fn.Name, pc-c.start)
	}
	return m.Fail("run", fmt.Errorf("signal %d in machine code: %s, address %#x", *m.word(abi.Signal), name, int64(at)-int64(uintptr(m.Base))))
}

func (m *Machine) badCall() rt.Status {
	return m.Fail("call", errors.New("function value of another type or no function at all"))
}

// compile compiles the function that a site calls, and enters it. For a function made by reflection
// the site's shape names the code.
func (m *Machine) compile(s *abi.Site) rt.Status {
	i := s.A
	if i < 0 {
		i = int64(*m.word(abi.Saved))
	}
	if i <= 0 || i >= int64(m.prog.Mod.NumFuncs()) {
		return m.badCall()
	}
	f := m.prog.Mod.Func(int(i))
	if f == nil {
		return m.badCall()
	}
	if f.Flags&ir.MakeFuncStub != 0 {
		shape := m.VM.Mod.Shape(s.Shape)
		if shape == nil {
			return m.Fail("call", errors.New("a function made by reflection is called from a place without a shape"))
		}
		if shape.Pack == 0 {
			return m.Fail("call", errors.New("shape without a Pack function"))
		}
		i = int64(shape.Pack)
	}
	at, st := m.entry(int32(i))
	*m.word(abi.Target) = uint64(at)
	return st
}

// entry returns the address of a function's code.
func (m *Machine) entry(i int32) (uintptr, rt.Status) {
	failure.At("behind machine code")
	done, over := m.VM.Until()
	c, err := m.prog.code.Compile(i, done)
	over()
	if errors.Is(err, cancel.ErrStopped) {
		if st := m.VM.Poll(); st != rt.OK {
			return 0, st
		}
	}
	if err != nil {
		return 0, m.Fail("compile", err)
	}
	return c.start, rt.OK
}

// jump continues in a function without arguments, which returns to the address on top of the stack.
// Memory may end above the limit, which handle has lowered. A limit that is too high costs one walk
// of the frames.
func (m *Machine) jump(f int32) rt.Status {
	at, st := m.entry(f)
	*m.word(abi.Target), *m.word(abi.PC) = uint64(at), uint64(m.prog.start)+uint64(m.prog.stubs.Jump)
	*m.word(abi.Limit) = max(*m.word(abi.Limit), uint64(m.stack.bottom))
	return st
}

// # Stacks

var _ = [1]struct{}{}[abi.NewChunk-exec.NewChunk]

// newStack makes a stack that begins at an address of the stubs.
func (m *Machine) newStack(fn uint32, pc uintptr) (uint32, rt.Status) {
	id, st := m.AddStack(fn)
	if st != rt.OK {
		return 0, st
	}
	s := m.Stack(id)
	s.PC, s.FP = pc, 8*topWords
	s.Mem[len(s.Mem)-topWords] = uint64(fn)
	s.Depth = memory.UnitFirst
	return id, rt.OK
}

// NewStack implements rt.Exec.
func (m *Machine) NewStack(fn uint32) (uint32, rt.Status) {
	return m.newStack(fn, m.prog.start+uintptr(m.prog.stubs.Closure))
}

// For a suspended stack, PC is the resume address, FP the distance of the stack
// pointer from the end of the memory, and Depth the distance of the limit from
// where frames begin.

func (m *Machine) save(s *exec.Stack) {
	s.PC = uintptr(*m.word(abi.PC))
	s.FP = m.stack.end - uintptr(*m.word(abi.SP))
	s.Depth = int64(uint64(m.stack.top) - *m.word(abi.Limit))
}

func (m *Machine) load(s *exec.Stack) {
	m.place(s)
	*m.word(abi.PC) = uint64(s.PC)
	*m.word(abi.SP) = uint64(m.stack.end - s.FP)
	*m.word(abi.Limit) = max(uint64(m.stack.top)-uint64(s.Depth), uint64(m.stack.bottom))
}

// place notes the memory of the current stack.
func (m *Machine) place(s *exec.Stack) {
	low := uintptr(unsafe.Pointer(&s.Mem[0]))
	m.stack.end = low + 8*uintptr(len(s.Mem))
	m.stack.top = m.stack.end - 8*topWords
	m.stack.bottom = low + m.prog.host.slack
	*m.word(abi.Top), *m.word(abi.Bottom) = uint64(m.stack.top), uint64(m.stack.bottom)
}

func (m *Machine) switchStack() {
	old := m.Stack(0)
	if from, to := m.Switch(); from != to {
		if from != old {
			panic("native: another stack was running")
		}
		m.save(from)
		m.load(to)
	}
}

// unwind drops the frames above an activation and continues at its recovery block.
func (m *Machine) unwind(id uint64) rt.Status {
	f, ok := m.innermost(0)
	raised := int64(0) // the raise of the limit by the dropped frames
	for ok && f.id() > id {
		raised += f.c.Adjust - f.site.Below()
		if f.c.Locals >= 0 {
			if st := m.DropLocals((*[2]uint64)(pointer(f.low + uintptr(f.c.Locals)))); st != rt.OK {
				return st
			}
		}
		ok = m.caller(&f)
	}
	if !ok || f.id() != id || f.c.Recover == 0 {
		return m.Fail("unwind", memory.ErrCorrupt)
	}
	*m.word(abi.SP) = uint64(f.low)
	*m.word(abi.PC) = uint64(f.c.start) + uint64(f.c.Recover)
	raised -= f.site.Below()
	// As if they had returned. The frames that stay are not walked: a guest may recover on a
	// deep stack again and again.
	*m.word(abi.Limit) -= uint64(raised)
	return rt.OK
}

// Free returns what the free initialisation of the standard library used.
func (m *Machine) Free() (units int64, instructions uint64) {
	units, _ = m.FreeUnits()
	return units, 0
}

// Image copies the state of a machine that waits for the host's next call, into the memory of over
// if that is not nil. It returns false if the state cannot be kept.
func (m *Machine) Image(over exec.Waiting) (exec.Waiting, bool) {
	if m.counters != nil || m.fault.pc != 0 {
		return nil, false
	}
	used := uintptr(0)
	if s := m.Stack(0); s != nil {
		m.save(s)
		used = s.FP + m.prog.host.slack
	}
	was, _ := over.(*exec.Image)
	return m.Core.Image(was, used)
}

// WithState returns w with a state, see [exec.Core.WithState].
func (m *Machine) WithState(w exec.Waiting, b []byte) (exec.Waiting, error) {
	i, err := m.Core.WithState(w.(*exec.Image), b)
	if err != nil {
		return nil, err
	}
	return i, nil
}

// Resume puts the machine, which has not run, into the waiting state w.
func (m *Machine) Resume(w exec.Waiting) { m.load(m.Core.Resume(w.(*exec.Image))) }
