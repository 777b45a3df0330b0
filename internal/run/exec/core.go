package exec

import (
	"errors"
	"runtime"
	"unsafe"

	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/profile"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// Options are the parameters of a machine that the VM's configuration does not hold.
type Options struct {
	// Quantum is the gas after which a goroutine yields at a loop header if others wait; 0 is
	// gas.Quantum.
	Quantum int64
	// PoolInterval is the gas after which sync.Pools are emptied; 0 is gas.PoolInterval.
	PoolInterval int64
	// Steady makes the host poll after fixed amounts of gas, not by the clock. Near a poll, a
	// charge that combines several is made in its parts, so the number of executed instructions
	// depends a little on when the host polls.
	Steady bool
	// Hosts, if not nil, is shared by all machines of one module.
	Hosts *Hosts
	// Down says that stacks grow towards lower addresses.
	Down bool
}

// A Core is embedded by the machine of a tier. It is not safe for concurrent use.
type Core struct {
	// Registers, valid while no guest code runs.
	Gas  int64  // what may be charged before the next event, see gas.go
	Plim int64  // what plain charges compare Gas with
	SSP  uint32 // shadow stack: next free byte
	SLim uint32 // end of its chunk

	VM   *rt.VM
	Base unsafe.Pointer // host address of guest offset 0
	Heap *memory.Heap
	CPU  *profile.CPU // nil: no CPU profile

	tier Tier
	hostTable
	traps [ir.NumTraps]int32 // function index, 0 if there is none

	gasState
	stackState
	shadowState
	payState

	status  rt.Status
	yielder uint32 // number of the host function that left the run with rt.Yield
	entered bool   // a run has begun
	calls   uint32 // of the host
	inHost  bool
	herePos ir.Pos // position of a charge that failed
}

// Init prepares the core of a machine for the instance vm. It fails if the module names a host
// function that does not exist. The machine sets vm.Exec itself. A core that has been used and
// released is like a new one.
func (m *Core) Init(vm *rt.VM, t Tier, c Options) error {
	*m = Core{stackState: stackState{stacks: m.stacks[:0], block: m.block, free: m.free[:0], slots: m.slots}, payState: payState{results: m.results[:0]}}
	m.VM, m.Base, m.Heap, m.tier, m.down = vm, vm.Space.Base, vm.Heap, t, c.Down
	if err := m.linkHosts(c.Hosts); err != nil {
		return err
	}
	for k := range m.traps {
		m.traps[k] = m.Runtime(ir.Traps[k].Func)
	}
	m.yielder = m.yields
	m.initGas(c)
	m.payer = m.Runtime("paycollection")
	if m.results == nil {
		m.results = make([]uint32, 0, ir.MaxArgs)
	}
	m.slots.init(vm.Heap, vm.Space.Stacks())
	m.stacks = append(m.stacks, nil)
	return nil
}

// Begin starts a run or, after [rt.Yield], resumes one (resume). It fails if the machine has ended
// for good.
func (m *Core) Begin() (resume bool, st rt.Status) {
	if m.status != rt.Yield {
		return false, m.first()
	}
	m.status, m.entered, m.lastPoll = rt.OK, true, 0 // OK is what remains if a host function panics
	return true, rt.OK
}

// first is Begin for the first run.
func (m *Core) first() rt.Status {
	m.status = rt.OK
	if m.entered {
		return m.Fail("run", errors.New("the machine has run already"))
	}
	m.entered = true
	m.guestLimit = int64(min(m.VM.StackLimit(), 1<<40))
	return rt.OK
}

// End sets the status with which the run ended that Begin started.
func (m *Core) End(st rt.Status) { m.status = st }

// Fail ends the run with an error of the host, see [rt.VM.Fail].
func (m *Core) Fail(op string, err error) rt.Status { return m.VM.Fail(op, err) }

// Fault turns what a run recovered from into an error of the instance. That is an access of Go code
// to guest memory that is not committed, or a bug of the tier or of a host function. Panics of
// Readers and Writers do not come here: they end in package wasi. The run has called
// debug.SetPanicOnFault.
func (m *Core) Fault(r any) rt.Status {
	e, ok := r.(interface {
		runtime.Error
		Addr() uintptr
	})
	if ok && m.ReadOnly(e.Addr()) {
		return m.FaultAt(e.Addr())
	}
	if !ok || m.inHost || !m.Faults(e.Addr()) {
		return m.Fail("run", failure.New("running", r, m.VM.Here))
	}
	return m.FaultAt(e.Addr())
}

// Faults reports whether guest code can reach a host address by accessing memory.
func (m *Core) Faults(at uintptr) bool {
	off := int64(at) - int64(uintptr(m.Base))
	return off >= -memory.ContextSize && off < memory.SpaceSize+memory.GuardSize
}

// FaultAt ends a run whose code has accessed a host address that is closed to the guest. It follows
// FaultedAt. The charges before the access count as for any other end: if they exceed the guest's
// gas, the run has ended before the access.
func (m *Core) FaultAt(at uintptr) rt.Status {
	if m.spent() {
		return rt.OutOfGas
	}
	if m.ReadOnly(at) {
		return m.Fail("run", memory.ErrReadOnly)
	}
	return m.VM.FaultAt(uint64(max(0, int64(at)-int64(uintptr(m.Base)))), 1)
}

// ReadOnly reports whether a host address lies in a buffer that the host lends to the guest. A
// fault there is a write.
func (m *Core) ReadOnly(at uintptr) bool {
	return at >= uintptr(m.Base) && m.VM.Space.ReadOnly(uint64(at-uintptr(m.Base)))
}

// FaultedAt records the position of an instruction that has faulted and settles the account:
// nothing is charged any more.
func (m *Core) FaultedAt(pos ir.Pos) {
	m.herePos = pos
	m.SyncGas()
}

// Runtime returns the number of the overlay's function that lowering knows by name, 0 if it is
// missing.
func (m *Core) Runtime(name string) int32 {
	if f := m.VM.Mod.Runtime[name]; f != nil {
		return f.Index
	}
	return 0
}

// Trap returns the number of the guest's function for a failed check, 0 if that function or the
// trap is missing.
func (m *Core) Trap(k uint64) int32 {
	if k >= uint64(len(m.traps)) {
		return 0
	}
	return m.traps[k]
}
