// Package rt is the host's half of the guest's runtime: the virtual machine's
// state that does not depend on the tier, and the functions that the runtime
// overlay (guest code) calls in the host.
//
// The guest's half does what it can in Go: channels, select, semaphores,
// timers, panics and maps are guest code in linear memory. The host is asked
// for execution stacks, tracebacks, collections, the clock, randomness, a place for log records, and
// the WASI system interface (package wasi).
//
// # Host functions
//
// [ir.Primitives] is the table of all of them, with what every part of the engine has to know of one; [Host]
// has the implementations, by the name that lowering writes into
// Module.Primitives: "malloc" for the overlay's host_malloc, and
// "wasi_snapshot_preview1.fd_write" for an import of WASI. Every address and length that a guest passes is checked
// before use; a bad one ends the run with [Failed] and a [api.HostError].
//
// # Where things are
//
//   - The machine: vm.go; config.go (settings), init.go and snapshot.go (what runs before the program), start.go (states
//     that instances begin as), moment.go and portable.go (a state between calls, as data), errors.go and panicked.go
//     (how a run ended).
//   - How a run is stopped: runcontext.go (context, deadline, [VM.Poll]), stop.go, supervise.go (code of the host that
//     may block), limits.go and account.go (gas and memory of calls).
//   - Calls of guest functions: call.go. Functions of the host that the guest calls: hostcall.go, callback.go,
//     hostcontext.go; handle.go and buffer.go (objects and memory that are lent), undo.go (transactions).
//   - Values that cross: package guesttype has their types; convert.go reads and writes them, guestmap.go maps,
//     guesttime.go times, dynamic.go errors and values in interfaces; measure.go weighs them first.
//   - Memory: malloc.go, types.go (heap layouts of types), collect.go (collections, finalizers), stacks.go.
//   - The world: system.go (WASI), clock.go, random.go, network.go, log.go and logrecord.go, traceback.go, fuzz.go.
//   - kernels.go: inner loops of the standard library that run in the host.
//
// host.go puts the functions of all files into one table. The package is large because each of them works on the
// state of one [VM].
//
// # Determinism
//
// Nothing here depends on the machine unless the configuration says so. The
// clock counts gas (clock.go), randomness comes from the seed (random.go),
// collections are triggered by bytes allocated, and finalizers are queued in the
// order of their objects' addresses (collect.go).
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

// A Status is what a host function tells the tier to do next.
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
	Failed             // the host cannot go on: corrupt guest memory, a host error; VM.Err says which
	OutputLimit        // the program wrote more than Config.Output allows
)

// A Func is a function of the host. Arguments arrive in a[0], a[1], …, one
// scalar each: Ptr as a 32-bit offset, narrow integers sign-extended, floats as
// bits. Results are written back from a[0] on.
type Func func(vm *VM, a *ir.Args) Status

// Exec is what a tier offers to host functions.
type Exec interface {
	// NewStack makes an execution stack that will call the closure at fn, a
	// func() that does not return. The number is never 0.
	NewStack(fn uint32) (stk uint32, st Status)
	// FreeStack returns a stack that is not running to the pool.
	FreeStack(stk uint32)
	// SwitchTo names the stack that runs after the host function returned Switch.
	SwitchTo(stk uint32) bool
	CurStack() uint32
	// G and SetG are one guest pointer per execution stack, a root.
	G() uint32
	SetG(g uint32)
	// Callers fills buf with the return addresses (ir.SitePC) of the logical
	// frames of a stack (0: the current one), innermost first, inlined frames
	// expanded, Wrapper functions left out, after skipping skip of them.
	// Frame 0 is the function that called the host.
	Callers(stk uint32, skip int, buf []uint64) int
	// ParentFrame returns the activation that called the given one on the
	// current stack, looking through Wrapper functions; 0 at the bottom.
	ParentFrame(frame uint64) uint64
	// MarkRoots calls Heap.MarkPtr for every pointer live in any stack. There
	// may be millions of frames: it polls.
	MarkRoots() Status
	// MarkLocals calls Heap.MarkPtr for the pointers in the locals that
	// Heap.NextChunkPtr names, until it names none, polling. It reports whether
	// there were any.
	MarkLocals() (any bool, st Status)
	// GasUsed is exact at the moment of the host call, and includes what was rolled back.
	GasUsed() int64
	// GasLeft is how much more the program may use.
	GasLeft() int64
	// Elapsed is GasUsed without what was rolled back: what counts against the limit, and the guest may learn of.
	Elapsed() int64
	// FreeEnds is called when the initialisation of the standard library is
	// done: what was used until now does not count, neither as gas nor as time.
	FreeEnds()
	// Spend counts n units of gas for what a function of the host has done.
	Spend(n int64)
	// GasLimit is the limit of the instance, 0 if it has none.
	GasLimit() int64
	// AddGas raises that limit by n units, if there is one, and ends what LimitGas began.
	AddGas(n int64)
	// LimitGas lets the program use n more units of gas, unless the limit of the instance is reached before. It reports
	// whether that is not so: n is less than what the instance has left.
	LimitGas(n int64) (tighter bool)
	// Overdrawn reports whether more is used than the limits allow, which the next charge finds.
	Overdrawn() bool
	// StopGas lets GasUsed stay as it is. What the program does from now on, the
	// report of its end, has an allowance of its own.
	StopGas()
	// DropPools has sync.Pools emptied at the next loop header: a collection left
	// little room.
	DropPools()
	// Release gives back what the tier keeps outside of Go's heap, at the end.
	Release()
}

// A Watcher follows the objects of a heap, for a profile.
type Watcher interface {
	// Allocated is called for each object that was allocated.
	Allocated(addr uint32, size uint64)
	// Sweeping is called in each collection, when Heap.Reached says which objects stay.
	Sweeping()
}

// A VM is the state of one instance that does not depend on the tier. It is
// not safe for concurrent use.
type VM struct {
	Mod   *ir.Module
	Space *memory.Space
	Heap  *memory.Heap
	Exec  Exec

	Stacks int // execution stacks that Exec has: it keeps the figure

	Config   Config
	ExitCode int
	Err      error        // why the status is Interrupted or Failed
	Fatal    string       // why the program ends, as the overlay told host_dying
	Began    memory.Stats // of the heap, when the program's own initialisation began
	Hints    []Hint       // for the user of a run that failed
	asked    []string     // the variables among Hints

	// CPU, if not nil, is told when a collection begins and ends.
	CPU *profile.CPU

	// Watch, if not nil, is told of every object. It must not be set without
	// Heap.SetWatch.
	Watch Watcher

	// Sentinels are errors of the host that stand for variables of the guest, by the numbers under which the
	// guest names these (gyr_addsentinel).
	Sentinels []error

	handles handles // objects of the host that the guest knows
	undo    *undos  // of a transaction; nil: none has begun

	super  *supervision  // of the last run, if it had a goroutine of its own, or of a call of the host that it made
	asides int           // calls of the host that the last run made, where that matters: see supervise.go
	snap   *Snapshot     // from which memory starts; nil: from the module's data
	begins *Start        // from which everything starts; nil: from snap
	build  *snapshotWork // while the machine makes a snapshot
	state                // what the host functions keep between calls
}

// state is what host functions keep between calls.
type state struct {
	sys   *wasi.System
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
	pending Status // of a collection during a function of WASI
	dying   bool   // the report of the program's end has begun
	report  report // of the program's end

	watched   bool              // what the functions of the host are asked for is noted, see start.go
	unkept    string            // why no start can hold what they did; empty: it can
	consulted ir.PrimitiveFlags // what the others were asked about
	recorded  []recordedCall    // calls of host packages
	copied    int               // weight of what recorded holds

	scratch []uint64 // program counters
	text    []byte   // arguments or environment, as host_args stores them
}

// New makes an instance of a module: its memory with the module's data, its
// heap and its system. The caller sets Exec before anything runs. Programs start
// from a [Snapshot] instead.
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

// dataSize is the bytes of the data segment and what follows it as zeros.
func dataSize(mod *ir.Module) uint64 { return uint64(mod.DataSize()) + uint64(mod.BSS) }

// fillData writes the module's data to memory that is committed.
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
		if m.InUse() > limit {
			return &api.MemoryLimitError{Limit: limit}
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
		return &api.MemoryLimitError{Limit: limit}
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

// origin returns what memory starts from, with the counters of coverage; nil if that is the module's data.
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

// Reset makes the instance as New would, with the same module and memory
// limit. The tier resets itself.
func (vm *VM) Reset(c Config) error {
	if vm.busy() {
		return errors.New("a call of a Reader or Writer that the last run left behind has not returned")
	}
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

// Rewind makes the machine what sn.New, or with a start s what s.New, would make, in the memory that it has: pages
// that were written to are restored, the others are not touched. The system is what [VM.System] has made of the configuration.
// No call of the host's code may be left behind, no socket be open, and the caller has checked the limit of memory with
// [Config.Holds]. The machine has no Exec then. An error is one of the operating system's; then the machine can only be closed.
func (vm *VM) Rewind(sn *Snapshot, s *Start, c Config, sys *wasi.System) (err error) {
	defer func() {
		if err != nil && vm.sys != sys {
			sys.Close()
		}
	}()
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

// Holds reports whether the limit of a configuration has room for what an instance begins with, as Rewind makes it.
func (c *Config) Holds(sn *Snapshot, s *Start) bool {
	vm := VM{Config: *c, snap: sn, begins: s}
	m, _ := vm.origin()
	return m.InUse() <= vm.memoryLimit()
}

// Close closes the instance's files and the objects of its handles, and gives its memory back.
func (vm *VM) Close() error {
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

// writable is bytes for what the host is to write to on the guest's behalf. op is the function of the host; the status is
// OK where it may.
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

// bytes is Space.Bytes for arguments: a 32-bit offset and a length as the guest
// passed it.
func (vm *VM) bytes(addr, n uint64) ([]byte, bool) {
	return vm.Space.Bytes(uint64(uint32(addr)), n)
}
