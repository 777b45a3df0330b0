// Package rt is the host's half of the guest's runtime: the virtual machine's state that does not
// depend on the tier (interpreter or machine code), and the primitives, which are the functions of
// the host that the runtime overlay calls. The overlay is the guest's half: our versions of Go's
// package runtime and a few others, which every program contains (package guest).
//
// The overlay does what it can in Go: channels, select, semaphores, timers, panics and maps are
// guest code in linear memory. It asks the host for execution stacks, tracebacks, collections, the
// clock, randomness, the host's log handler, and the WASI system interface (package wasi).
//
// # Primitives
//
// [ir.Primitives] is the table of all primitives. A line of it says everything that any part of the
// engine must know about one. [Host] has the implementations, by the name that lowering writes into
// Module.Primitives: "malloc" for the overlay's host_malloc, and "wasi_snapshot_preview1.fd_write"
// for an import of WASI. Every address and length from a guest is checked before use. A bad one
// ends the run with [Failed] and an [api.HostError].
//
// # Where things are
//
//   - The machine: vm.go; config.go (settings), size.go (reads sizes like 64M), debug.go (settings
//     that find mistakes), errors.go and panicked.go (how a run ended).
//   - How a run begins: init.go hands the package initialisers to the guest, one by one.
//     snapshot.go holds memory after the initialisation of those packages of the standard library
//     that depend on nothing but the program; snapshot_store.go is its form in a file. start.go
//     holds an instance that has also initialised the program's own packages, so that later
//     instances need not.
//   - State between calls: moment.go (going back, for transactions), portable.go (as data).
//   - How a run is stopped: runcontext.go (context, deadline, [VM.Poll]), stop.go (from outside),
//     supervise.go (calls of the host that may block for ever), limits.go (gas and memory of one
//     call).
//   - Calls of guest functions: call.go. Functions of host packages, which the guest calls:
//     hostcall.go, callback.go, hostcontext.go (the context that they get); handle.go and buffer.go
//     (objects and memory that are lent), undo.go (what a transaction undoes).
//   - Values that cross: package guesttype has their types; convert.go reads and writes them,
//     guestmap.go maps, guesttime.go times, dynamic.go errors and values in interfaces. Before
//     that, measure.go computes the sizes that the guest pays for.
//   - Memory: malloc.go, types.go (heap layouts of types), collect.go (collections, finalizers),
//     stacks.go.
//   - Programs that the guest starts: process.go (turns and accounts), processpipe.go, processhost.go.
//   - The world: system.go (WASI), clock.go, random.go, network.go, log.go and logrecord.go.
//   - Tools: traceback.go, fuzz.go (fuzzing), account.go (gas and memory of each test of a test
//     binary).
//   - kernels.go: inner loops of the standard library that run in the host.
//
// Each file lists its primitives; host.go joins the lists. The package is large because all
// primitives work on the state of one [VM].
//
// # Determinism
//
// Nothing here depends on the machine unless the configuration says so. The clock advances with gas
// (clock.go), randomness comes from the seed (random.go), collections are triggered by bytes
// allocated, and finalizers are queued in the order of their objects' addresses (collect.go).
package rt

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/hostnet"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/profile"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// A Status tells the tier what to do after a host function.
type Status int32

const (
	OK          Status = iota
	Switch             // continue on the execution stack that Exec.SwitchTo named
	Exit               // the program ended with VM.ExitCode
	OutOfGas           // the gas limit is reached
	OutOfMemory        // the memory limit is reached
	StackLimit         // a goroutine's stack reached its limit
	Interrupted        // deadline or cancellation; VM.Err says which
	Yield              // the program waits for the host's next call, see call.go
	Failed             // the host cannot continue: corrupt guest memory, a host error; VM.Err says which
	OutputLimit        // the program wrote more than Config.Output allows
)

// A Func is a host function. Arguments arrive in a[0], a[1], …, one scalar each: Ptr as a 32-bit
// offset, narrow integers sign-extended, floats as bits. Results are written back from a[0] on.
type Func func(vm *VM, a *ir.Args) Status

// Exec is what a tier offers to host functions.
type Exec interface {
	// NewStack makes an execution stack that will call the closure at fn, a func() that does not
	// return. The number is never 0.
	NewStack(fn uint32) (stk uint32, st Status)
	// FreeStack returns a stack that is not running to the pool.
	FreeStack(stk uint32)
	// SwitchTo names the stack that runs after the host function has returned Switch.
	SwitchTo(stk uint32) bool
	CurStack() uint32
	// G and SetG read and write one guest pointer per execution stack, a root.
	G() uint32
	SetG(g uint32)
	// Callers fills buf with the return addresses (ir.SitePC) of the logical frames of a stack (0:
	// the current one). The innermost comes first. Inlined frames are expanded, Wrapper functions
	// left out, and the first skip frames skipped. Frame 0 is the function that called the host.
	Callers(stk uint32, skip int, buf []uint64) int
	// ParentFrame returns the activation that called the given one on the current stack. It skips
	// Wrapper functions, and returns 0 at the bottom.
	ParentFrame(frame uint64) uint64
	// MarkRoots calls Heap.MarkPtr for every pointer live in any stack. It polls, since millions of
	// frames are possible.
	MarkRoots() Status
	// MarkLocals calls Heap.MarkPtr for the pointers in the locals that Heap.NextChunkPtr names,
	// until it names none. It polls, and reports whether it found any.
	MarkLocals() (any bool, st Status)
	// GasUsed is exact at the moment of the host call. It includes what was rolled back.
	GasUsed() int64
	// GasLeft is how much more the program may use.
	GasLeft() int64
	// Elapsed is GasUsed without what was rolled back: the figure that the limit counts and the
	// guest may see.
	Elapsed() int64
	// FreeEnds is called after the initialisation of the standard library. What was used until now
	// does not count, neither as gas nor as time.
	FreeEnds()
	// Spend counts n units of gas for the work of a host function.
	Spend(n int64)
	// SpendOutside counts n units of gas for another program. They do not count in the quantum of the
	// goroutine that runs.
	SpendOutside(n int64)
	// GasLimit is the limit of the instance, 0 if it has none.
	GasLimit() int64
	// AddGas raises that limit by n units, if there is one, and ends the effect of LimitGas.
	AddGas(n int64)
	// LimitGas lets the program use n more units of gas, within the limit of the instance. It
	// reports whether n is less than what the instance has left.
	LimitGas(n int64) (tighter bool)
	// Overdrawn reports whether the use exceeds the limits. The next charge ends the run then.
	Overdrawn() bool
	// StopGas freezes GasUsed. From now on the program writes the report of its end, which has an
	// allowance of its own.
	StopGas()
	// DropPools has sync.Pools emptied at the next loop header, because a collection left little
	// room.
	DropPools()
	// Release gives back the tier's memory outside Go's heap, at the end.
	Release()
}

// A Watcher follows the objects of a heap, for a profile.
type Watcher interface {
	// Allocated is called for each object that was allocated.
	Allocated(addr uint32, size uint64)
	// Sweeping is called in each collection, when Heap.Reached tells which objects stay.
	Sweeping()
}

// A VM is the state of one instance that does not depend on the tier. It is not safe for concurrent
// use.
type VM struct {
	Mod   *ir.Module
	Space *memory.Space
	Heap  *memory.Heap
	Exec  Exec

	Stacks int // number of execution stacks; Exec sets it

	Config   Config
	ExitCode int
	Err      error        // why the status is Interrupted or Failed
	Fatal    string       // why the program ends, as the overlay told host_dying
	Began    memory.Stats // the heap's figures when the program's own initialisation began
	Hints    []Hint       // for the user of a run that failed
	asked    []string     // names of the variables that the program asked for in vain

	// CPU, if not nil, gets the begin and end of each collection.
	CPU *profile.CPU

	// Watch, if not nil, gets every object. It must not be set without Heap.SetWatch.
	Watch Watcher

	// Sentinels are errors of the host that stand for variables of the guest, by the numbers that
	// the guest gives them (gyr_addsentinel).
	Sentinels []error

	handles handles // objects of the host that the guest knows
	undo    *undos  // of the transaction; nil: there was none

	super  *supervision  // of the last run with its own goroutine, or of a host call that it made
	asides int           // host calls of the last run, if supervise.go needs the number
	snap   *Snapshot     // start of memory; nil: the module's data
	begins *Start        // start of the whole instance; nil: snap
	build  *snapshotWork // set while the machine makes a snapshot
	state                // what host functions keep between calls
}

// MemoryNaN returns the bits of NaNs in the guest's memory (ir.MemoryNaN64).
func (vm *VM) MemoryNaN() (f64 uint64, f32 uint32) {
	if vm.Config.Unsafe {
		return ir.NaN64, ir.NaN32
	}
	return ir.MemoryNaN64, ir.MemoryNaN32
}

// state is what host functions keep between calls.
type state struct {
	sys   *wasi.System
	procs processes
	net   *hostnet.Net    // nil: none is granted
	unnet runtime.Cleanup // shuts it when nobody closes the machine
	call  callState
	hosts hostCalls

	crossing crossing
	clock    clock
	rng      random
	sha      sha256State
	types    typeCache
	queue    specialQueue
	stats    Stats
	inits    initQueue

	runContext
	limits  limits
	polled  func() // see WithPolls; usually nil
	pending Status // status of a collection during a WASI function
	dying   bool   // the report of the program's end has begun
	report  report // of the program's end

	watched   bool              // what the functions of the host are asked for is noted, see start.go
	unkept    string            // why no start can hold what they did; empty: it can
	consulted ir.PrimitiveFlags // what the others were asked about
	recorded  []recordedCall    // calls of host packages
	copied    int               // weight of what recorded holds

	scratch []uint64 // program counters
	text    []byte   // arguments or environment, for host_args and host_environ
}

// New makes an instance of a module: its memory with the module's data, its heap and its system.
// The caller sets Exec before anything runs. Programs start from a [Snapshot] instead.
func New(mod *ir.Module, c Config) (*VM, error) { return startVM(&VM{Mod: mod}, c) }

func startVM(vm *VM, c Config) (*VM, error) {
	reserve := memory.Reserve
	if m, _ := vm.origin(); m != nil {
		reserve = memory.ReserveOnly
	}
	space, err := reserve()
	if err != nil {
		return nil, err
	}
	vm.Space = space
	if err := vm.start(c); err != nil {
		space.Release()
		return nil, err
	}
	return vm, nil
}

// dataSize returns the bytes of the data segment and of the zeros that follow it.
func dataSize(mod *ir.Module) uint64 { return uint64(mod.DataSize()) + uint64(mod.BSS) }

// fillData writes the module's data to committed memory.
func (vm *VM) fillData() error {
	size := vm.Mod.DataSize()
	b, ok := vm.Space.Bytes(ir.DataBase, uint64(size))
	if !ok && size > 0 {
		return fmt.Errorf("data segment: %w", ErrAddress)
	}
	return vm.Mod.ReadData(b, 0)
}

// start fills fresh memory.
func (vm *VM) start(c Config) error {
	mod := vm.Mod
	n := dataSize(mod)
	if mod.BSS < 0 || n > 1<<31-ir.DataBase {
		return fmt.Errorf("the data segment of %d bytes does not fit below 2 GiB", n)
	}
	vm.Config = c
	limit := vm.memoryLimit()
	if m, was := vm.origin(); m != nil {
		if used := m.InUse(); used > limit {
			return &api.MemoryLimitError{Limit: limit, Begins: used}
		}
		var err error
		if vm.Heap, err = m.Heap(vm.Space, mod.Layouts, limit); err != nil {
			return err
		}
		counters, err := vm.Space.Counters(mod.Counters)
		if err != nil {
			return err
		}
		copy(counters, was)
		return vm.configure(c, nil)
	}
	if n > limit {
		return &api.MemoryLimitError{Limit: limit, Begins: n}
	}
	if err := vm.Space.Commit(ir.DataBase, n); err != nil {
		return err
	}
	if err := vm.fillData(); err != nil {
		return err
	}
	if _, err := vm.Space.Counters(mod.Counters); err != nil {
		return err
	}
	vm.Heap = memory.NewHeap(vm.Space, uint32(ir.DataBase+n), mod.Layouts, limit)
	return vm.configure(c, nil)
}

// origin returns the initial memory and coverage counters. It returns nil if memory starts from the
// module's data.
func (vm *VM) origin() (m *memory.Snapshot, counters []uint64) {
	switch {
	case vm.begins != nil:
		return vm.begins.memory, vm.begins.counters
	case vm.snap != nil:
		return vm.snap.memory, vm.snap.counters
	}
	return nil, nil
}

// System makes the system of a configuration, for [VM.Rewind]. The machine does not change.
func (vm *VM) System(c Config) (*wasi.System, error) {
	sys, err := wasi.New(vm.Space, system{vm}, c.Config, c.Setup.Setup)
	if grant := (*wasi.GrantError)(nil); errors.As(err, &grant) {
		return nil, &api.ConfigError{Field: grant.Field, Err: grant.Err}
	}
	return sys, err
}

// configure sets everything that depends on the configuration alone, and what a start adds. It
// makes the system unless the caller has.
func (vm *VM) configure(c Config, sys *wasi.System) (err error) {
	vm.Config, vm.ExitCode, vm.Err, vm.Fatal, vm.Hints, vm.asked = c, 0, nil, "", nil, nil
	vm.queue.list.Free()
	vm.forgetTypes()
	vm.state = state{scratch: vm.scratch, rng: vm.rng, hosts: hostCalls{co: vm.hosts.co}, inits: vm.initQueue(), watched: c.Watch && vm.begins == nil}
	vm.Heap.Poll = func() bool { return vm.Poll() == OK }
	vm.setContext(c.Context)
	vm.beChild(c.Child)
	vm.clock.init(c.Realtime)
	stream := runtimeStream
	if vm.build != nil {
		stream = snapshotStream
	}
	if err := vm.rng.init(c.Seed, c.RealRandom, stream); err != nil {
		return err
	}
	vm.debug()
	if sys == nil {
		if sys, err = vm.System(c); err != nil {
			return err
		}
	}
	vm.sys = sys
	sys.Start()
	vm.openNetwork()
	if vm.begins != nil {
		vm.begin(vm.begins)
	}
	return nil
}

// Reset returns the instance to its state after New, with the same module and memory limit. The
// tier resets itself.
func (vm *VM) Reset(c Config) error {
	if vm.busy() {
		return errors.New("a call of a Reader or Writer that the last run left behind has not returned")
	}
	vm.endProcesses()
	vm.CloseHandles()
	if vm.sys != nil {
		vm.sys.Close()
		vm.sys = nil
	}
	vm.shutNetwork()
	if vm.Exec != nil {
		vm.Exec.Release()
	}
	c.Memory = vm.Config.Memory
	if m, was := vm.origin(); m != nil {
		if err := m.Restore(vm.Heap); err != nil {
			return err
		}
		counters, err := vm.Space.Counters(vm.Mod.Counters)
		if err != nil {
			return err
		}
		copy(counters, was)
		return vm.configure(c, nil)
	}
	n := dataSize(vm.Mod)
	if err := vm.Space.Zero(ir.DataBase, n); err != nil {
		return err
	}
	if err := vm.fillData(); err != nil {
		return err
	}
	vm.Heap.Reset()
	return vm.configure(c, nil)
}

// Rewind makes the machine what sn.New, or with a start s what s.New, would make, in the memory
// that it has: pages that were written to are restored, the others are not touched. The system is
// what [VM.System] has made of the configuration. No call of the host's code may be left behind, no
// socket be open, and the caller has checked the limit of memory with [Config.Holds]. The machine
// has no Exec then. An error is one of the operating system's; then the machine can only be closed.
func (vm *VM) Rewind(sn *Snapshot, s *Start, c Config, sys *wasi.System) (err error) {
	defer func() {
		if err != nil && vm.sys != sys {
			sys.Close()
		}
	}()
	vm.endProcesses()
	vm.abandonHost()
	vm.CloseHandles()
	if vm.sys != nil {
		vm.sys.Close()
	}
	vm.shutNetwork()
	if vm.Exec != nil {
		vm.Exec.Release()
	}
	vm.queue.list.Free()
	*vm = VM{Mod: vm.Mod, Space: vm.Space, Heap: vm.Heap, snap: sn, begins: s, Config: c, undo: vm.undo,
		state: state{scratch: vm.scratch, rng: vm.rng, hosts: hostCalls{co: vm.hosts.co}}}
	m, was := vm.origin()
	vm.Heap.SetLimit(vm.memoryLimit())
	if err := m.Restore(vm.Heap); err != nil {
		return err
	}
	counters, err := vm.Space.Counters(vm.Mod.Counters)
	if err != nil {
		return err
	}
	copy(counters, was)
	return vm.configure(c, sys)
}

// Holds reports whether the memory limit of a configuration has room for the initial state that
// Rewind restores.
func (c *Config) Holds(sn *Snapshot, s *Start) bool {
	vm := VM{Config: *c, snap: sn, begins: s}
	m, _ := vm.origin()
	return m.InUse() <= vm.memoryLimit()
}

// Close closes the instance's files and the objects of its handles, and gives back its memory.
func (vm *VM) Close() error {
	vm.endProcesses()
	vm.abandonHost()
	closeSoon(vm.takeClosers())
	if vm.sys != nil {
		vm.sys.Close()
		vm.sys = nil
	}
	vm.shutNetwork()
	if vm.Exec != nil {
		vm.Exec.Release()
	}
	if vm.Heap != nil {
		vm.Heap.Release()
	}
	vm.queue.list.Free()
	if space := vm.Space; vm.orphan(func() { space.Release() }) {
		return nil
	}
	return vm.Space.Release()
}

func (vm *VM) memoryLimit() uint64 {
	if vm.Config.Memory == 0 {
		return DefaultMemory
	}
	return vm.Config.Memory
}

// StackLimit is the limit of one goroutine's stack, in guest units.
func (vm *VM) StackLimit() uint64 {
	if vm.Config.Stack == 0 {
		return vm.memoryLimit() / 2
	}
	return vm.Config.Stack
}

// writable is bytes for memory that the host will write to on the guest's behalf. op is the name of
// the host function. The status is OK if it may.
func (vm *VM) writable(op string, addr, n uint64) ([]byte, Status) {
	b, ok := vm.bytes(addr, n)
	if !ok {
		return nil, vm.badAddress(op, addr, n)
	}
	if vm.Space.Overlaps(uint64(uint32(addr)), n) {
		return nil, vm.Fail(op, memory.ErrReadOnly)
	}
	return b, OK
}

// bytes is Space.Bytes for arguments: a 32-bit offset and a length as the guest passed them.
func (vm *VM) bytes(addr, n uint64) ([]byte, bool) {
	return vm.Space.Bytes(uint64(uint32(addr)), n)
}
