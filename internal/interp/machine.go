package interp

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gyrvm/gyr/internal/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/profile"
	"github.com/gyrvm/gyr/internal/rt"
)

// Config are the parameters of a machine that the VM's configuration does not hold.
type Config struct {
	// Quantum is the gas after which a goroutine gives way at a loop header when
	// others wait; 0 is DefaultQuantum.
	Quantum int64
	// PoolInterval is the gas after which sync.Pools are emptied; 0: never.
	PoolInterval int64
	// OthersAddr is the guest address of a uint32 that is not zero when other
	// goroutines may run; 0: there is none, preempt is called at every quantum.
	OthersAddr uint32
	// Count selects a loop that counts instructions, see Machine.Instructions.
	Count bool
	// OpStats selects the slower loop that counts instructions, see Machine.OpStats.
	OpStats bool
	// CPUProfile selects the loop that takes samples, see sample.go.
	CPUProfile bool
	// GasProfile and MemProfile select the loop that tells a tracer of every
	// call and charge, see trace.go.
	GasProfile, MemProfile bool
}

// DefaultQuantum is the goroutine quantum in units of gas.
const DefaultQuantum = 20_000_000

// A Machine interprets one instance. It is not safe for concurrent use.
type Machine struct {
	// Registers, valid while the run loop is not running.
	pc    uintptr
	fp    uintptr
	gas   int64
	depth int64
	plim  int64
	ssp   uint32 // shadow stack: next free byte
	slim  uint32 // end of its chunk

	base   unsafe.Pointer
	table  unsafe.Pointer // entry addresses by function
	nfuncs uint64
	heap   *heapT
	slimit uintptr // end of the current stack
	low    uintptr // start of the current stack

	vm   *rt.VM
	prog *bytecode.Program

	farReturn uintptr // see link

	hosts []hostFunc
	args  [16]uint64
	traps [ir.NumTraps]int32 // function index, 0 if there is none

	initFree bool // the module says when its free initialisation ends
	gasState
	stackState
	shadowState

	status  rt.Status
	entered bool // Run has begun
	inHost  bool
	herePos ir.Pos // position of a charge that failed

	cache   [64]siteCache
	tally   uint64
	tallies bool
	ops     *opCounts
	trace   *tracer        // nil: no profile of gas or memory
	cpu     *profile.CPU   // nil: no profile of time
	ticks   *atomic.Uint32 // of cpu
	faulted bool           // the registers are those of a moment before
	last    uintptr        // address of the instruction that was executed last, for one sample
}

// A hostFunc is a linked host function.
type hostFunc struct {
	fn      rt.Func
	frame   string // in profiles
	args    int
	results []ir.Type
}

// New makes a machine for the instance vm of prog's module and becomes its
// rt.Exec. It fails when the module names a host function that does not exist.
func New(vm *rt.VM, prog *bytecode.Program, c Config) (*Machine, error) {
	m := &Machine{vm: vm, prog: prog, base: vm.Space.Base, heap: vm.Heap}
	t, n := prog.Table()
	m.table, m.nfuncs = t, uint64(n)
	m.farReturn = prog.FarReturn()
	for i := range vm.Mod.Hosts {
		h := &vm.Mod.Hosts[i]
		fn := vm.HostFunc(h.Name)
		if h.Name == "nextinit" {
			m.initFree = true
		}
		if fn == nil {
			return nil, fmt.Errorf("host function %q does not exist", h.Name)
		}
		if err := m.linkHost(h, fn); err != nil {
			return nil, err
		}
	}
	for k := range m.traps {
		if f := vm.Mod.Runtime[ir.Traps[k].Func]; f != nil {
			m.traps[k] = f.Index
		}
	}
	m.tallies = c.Count
	if c.OpStats {
		m.ops = newOpCounts()
	}
	m.initGas(c)
	if c.CPUProfile {
		m.startCPU()
	}
	if c.GasProfile || c.MemProfile {
		m.trace = newTracer(m, c.MemProfile)
		if c.MemProfile {
			vm.Watch = m.trace
			vm.Heap.SetWatch(true)
		}
	}
	// Buffers of the collector's that grow with the depth of stacks: this is
	// what most programs ever need.
	m.shadow.Grow(256)
	m.runs.Grow(64)
	m.marked.Grow(64)
	m.slots.init(vm.Heap)
	vm.Exec = m
	return m, nil
}

func (m *Machine) linkHost(h *ir.HostFunc, fn rt.Func) error {
	if want, ok := rt.Sigs[h.Name]; ok && h.Sig.Key() != want {
		return fmt.Errorf("host function %q has another signature", h.Name)
	}
	if len(h.Sig.Params) > len(m.args) || len(h.Sig.Results) > len(m.args) {
		return fmt.Errorf("host function %q has too many parameters", h.Name)
	}
	m.hosts = append(m.hosts, hostFunc{fn, "[host " + h.Name + "]", len(h.Sig.Params), h.Sig.Results})
	return nil
}

// Run runs the program from its entry to its end and returns how it ended:
// never OK or Switch. After [rt.Yield] Run goes on where it was; after anything
// else the machine has run for good.
func (m *Machine) Run() (st rt.Status) {
	resume := m.status == rt.Yield
	if m.entered && !resume {
		return m.fail("run", errors.New("the machine has run already"))
	}
	m.entered = true
	defer func() { m.status = st }()
	if m.cpu != nil {
		m.cpu.Start()
		defer m.cpu.Stop()
	}
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		if r := recover(); r != nil {
			m.faulted = true
			e, ok := r.(interface {
				runtime.Error
				Addr() uintptr
			})
			if !ok || m.inHost {
				panic(r)
			}
			st = m.fail("run", fmt.Errorf("%w: %#x", rt.ErrAddress, int64(e.Addr())-int64(uintptr(m.base))))
		}
	}()
	if resume {
		m.lastPoll = time.Now()
	} else if st := m.start(); st != rt.OK {
		return st
	}
	m.setGas()
	if m.trace != nil {
		defer m.trace.finish()
	}
	switch {
	case m.ops != nil:
		return loop[counted](m)
	case m.trace != nil:
		return loop[traced](m)
	case m.cpu != nil:
		return loop[sampled](m)
	case m.tallies:
		return loop[tallied](m)
	}
	return loop[struct{}](m)
}

// Sizes select the loop: the plain one, the one that knows only how many
// instructions it executed, the one that counts operations, pairs and triples,
// the one that a tracer follows, and the one that takes samples of the time.
type (
	tallied struct{ _ uint8 }
	counted struct{ _ uint16 }
	traced  struct{ _ uint32 }
	sampled struct{ _ uint64 }
)

// loop alternates between the run loop and what Go functions have to do.
func loop[S any](m *Machine) rt.Status {
	for {
		st := rt.OK
		why := run[S](m)
		if m.trace != nil {
			m.trace.sync()
		}
		if m.cpu != nil {
			m.cpu.Sample()
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
			st = m.fail("run", errors.New("unreachable code was reached"))
		}
		if st != rt.OK {
			m.syncGas()
			return st
		}
	}
}

// pointer makes a pointer of an address outside of Go's heap, or of memory that
// something else keeps alive.
//
//go:nocheckptr
func pointer(a uintptr) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(nil), a) }

func (m *Machine) fail(op string, err error) rt.Status { return m.vm.Fail(op, err) }

func (m *Machine) badCall() rt.Status {
	return m.fail("call", errors.New("function value of another type or no function at all"))
}

// entryOf returns the address of a function's first instruction.
func (m *Machine) entryOf(f int32) unsafe.Pointer {
	return atomic.LoadPointer((*unsafe.Pointer)(unsafe.Add(m.table, uintptr(f)*8)))
}

// push makes a frame for a call of function f that the code does not contain: a
// trap or preempt. The frame stands base slots above the current one;
// execution comes back to m.pc.
func (m *Machine) push(f int32, base int) {
	m.link(base)
	m.jumpTo(f)
}

// link begins a frame base slots above the current one, from which execution
// comes back to m.pc. A base that the link word can't hold is kept, with the
// return address, before the frame.
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
	m.gas -= int64(*(*uint64)(unsafe.Add(e, -16)) >> 32)
	m.depth -= int64(*(*uint64)(unsafe.Add(e, -8)) >> 32)
}

// enter deals with what is short after a frame was entered: m.pc is the entry
// of the function, whose header has been charged.
func (m *Machine) enter() rt.Status {
	e := pointer(m.pc)
	head := *(*uint64)(unsafe.Add(e, -8))
	gas := int64(*(*uint64)(unsafe.Add(e, -16)) >> 32)
	if need := uintptr(uint32(head)); m.fp+need > m.slimit {
		if st := m.growStack(need); st != rt.OK {
			m.gas += gas
			return st
		}
	}
	if m.depth < 0 {
		// The entry's charge comes after the stack.
		m.gas += gas
		if st := m.growGuest(); st != rt.OK {
			return st
		}
		m.gas -= gas
	}
	if m.gas < m.plim {
		return m.gasEvent(false)
	}
	return rt.OK
}

// call enters f from a frame that push would make, with all checks.
func (m *Machine) call(f int32, base int) rt.Status {
	m.push(f, base)
	return m.enter()
}

// word returns the first word of the instruction that the loop left, which m.pc is
// behind.
func (m *Machine) word() uint64 { return *(*uint64)(pointer(m.pc - 8)) }

// sliceLen is the length in the slice header that an SLoad or SStore with extension word e uses.
func (m *Machine) sliceLen(p, e uint64) uint64 {
	return *(*uint64)(unsafe.Add(m.base, uint64(uint32(p))+uint64(uint16(e))+8))
}

// trap calls the guest's function for the check that failed.
func (m *Machine) trap() rt.Status {
	fp := pointer(m.fp)
	w := m.word()
	var kind uint64
	var x, y uint64
	switch op := bytecode.OpOf(w); {
	case op == bytecode.NilCheck || op >= bytecode.NLoad8S && op <= bytecode.NLoadPL:
		kind = uint64(ir.TrapNil)
	case op == bytecode.Bounds || op == bytecode.CheckLeU:
		kind, x, y = w>>48, ra(fp, w), rb(fp, w)
	case op == bytecode.BoundsI:
		kind, x, y = w>>48, ra(fp, w), uint64(bytecode.ImmB(w))
	case op == bytecode.BoundsC:
		kind, x, y = w>>48, uint64(bytecode.ImmB(w)), ra(fp, w)
	case op == bytecode.Check0:
		kind = uint64(bytecode.B(w))
	case op == bytecode.Check2:
		kind, x, y = *(*uint64)(pointer(m.pc)), rb(fp, w), rc(fp, w)
	case op >= bytecode.BLoadX8S && op <= bytecode.BLoadXP:
		e := *(*uint64)(pointer(m.pc))
		kind, x, y = e>>32&0xffff, rc(fp, w), *slot(fp, uint16(e))
	case op >= bytecode.BStoreX8 && op <= bytecode.BStoreXF64:
		e := *(*uint64)(pointer(m.pc))
		kind, x, y = e>>32&0xffff, rb(fp, w), *slot(fp, uint16(e))
	case op >= bytecode.SLoad8S && op <= bytecode.SLoadP:
		e := *(*uint64)(pointer(m.pc))
		kind, x, y = e>>16&0xffff, rc(fp, w), m.sliceLen(rb(fp, w), e)
	case op >= bytecode.SStore8 && op <= bytecode.SStoreF64:
		e := *(*uint64)(pointer(m.pc))
		kind, x, y = e>>16&0xffff, rb(fp, w), m.sliceLen(ra(fp, w), e)
	case op == bytecode.BPtrIdx:
		e := *(*uint64)(pointer(m.pc))
		kind, x, y = e>>48, rc(fp, w), *slot(fp, uint16(e))
	}
	if kind >= uint64(ir.NumTraps) || m.traps[kind] == 0 {
		return m.fail("trap", fmt.Errorf("no function for trap %d", kind))
	}
	fc, _ := m.prog.FuncAt(m.pc)
	if fc == nil {
		return m.fail("trap", rt.ErrCorrupt)
	}
	base := fc.Slots
	*(*[2]uint64)(unsafe.Add(fp, (base+2)*8)) = [2]uint64{x, y}
	return m.call(m.traps[kind], base)
}
