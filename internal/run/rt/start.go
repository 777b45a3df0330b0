package rt

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// A Start is an instance that has initialised its packages, as a beginning for others. A library's
// Start waits for the first call, any other program's for its main function. It holds memory, the
// state of the heap, and the state of the host functions. The caller copies the machine of the
// tier.
//
// # What a start may hold
//
// Initialisation makes requests to the host. Their results are already in memory, so another
// instance may begin from the start only if it would have got the same answers. [Start.Fits]
// compares the parts of its configuration that the initialisation asked about (the flags of
// ir.PrimitiveFlags). It also compares the limits, which may decide when a collection happens. Gas,
// clock and random numbers continue where the initialisation left them. Functions with other
// effects (files, output, waiting for input) have no such flag. An initialisation that calls one
// yields no start: every instance runs it again.
//
// A Start is immutable and safe for concurrent use.
type Start struct {
	Mod       *ir.Module
	config    Config // of the instance that was copied
	consulted ir.PrimitiveFlags
	memory    *memory.Snapshot
	counters  []uint64
	types     *[memory.TypeSlots]heapType
	dynamic   bool
	mask      int // words of the type cache's scratch, charged once

	funcs          []callFunc
	crossing       crossing
	jumped         int64
	runtime, bytes rand.ChaCha8
	queue          []memory.Special
	stats          Stats
	inits          initQueue
	began          memory.Stats
	hints          []Hint
	variables      []string
}

// parts are the parts of a configuration that an initialisation may ask about.
const parts = ir.ReadsArgs | ir.ReadsEnv | ir.ReadsClock | ir.DrawsRandom | ir.ReadsGrants

// watch returns fn with a record of its calls.
func (vm *VM) watch(name string, fn Func) Func {
	info := ir.PrimitiveNamed(name)
	if info == nil || info.Flags&(parts|ir.Kept|ir.InSnapshot) == 0 {
		return func(vm *VM, a *ir.Args) Status {
			vm.unkept = true
			return fn(vm, a)
		}
	}
	flags := info.Flags & parts
	if flags == 0 {
		return fn
	}
	return func(vm *VM, a *ir.Args) Status {
		vm.consulted |= flags
		return fn(vm, a)
	}
}

// Keepable reports whether instances with the configuration can begin from others, or others from
// them. Nothing may watch them or depend on this machine, and initialisation may see neither a log
// nor a network.
func (c *Config) Keepable() bool {
	return c.Log == nil && c.Dial == nil && c.Listen == nil && c.Roots == nil && c.Accounts == nil && c.Fuzz == nil && c.Observer == nil && c.Debug == Debug{} && c.Seen == nil
}

// Start copies the machine. It was made with Config.Watch and has left its run with Yield. The
// result is nil if a start cannot hold what the machine has done.
func (vm *VM) Start() (*Start, error) {
	c := &vm.Config
	if !vm.watched || vm.unkept || !c.Keepable() || vm.CPU != nil || vm.Watch != nil || vm.dying || vm.pending != OK ||
		vm.call.waits || vm.call.runs || c.Realtime && vm.consulted&ir.ReadsClock != 0 || c.RealRandom && vm.consulted&ir.DrawsRandom != 0 {
		return nil, nil
	}
	m, err := vm.Heap.SnapshotWhole()
	if err == memory.ErrNoSnapshot {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	counters, err := vm.Space.Counters(vm.Mod.Counters)
	if err != nil {
		return nil, err
	}
	s := &Start{Mod: vm.Mod, config: *c, consulted: vm.consulted, memory: m, counters: slices.Clone(counters), dynamic: vm.types.dynamic, mask: len(vm.types.mask),
		funcs: slices.Clone(vm.call.funcs), crossing: vm.crossing, jumped: vm.clock.jumped, runtime: *vm.rng.runtime, bytes: *vm.rng.bytes,
		queue: slices.Clone(vm.queue.list.List[vm.queue.head:]), stats: vm.stats, inits: vm.inits, began: vm.Began,
		hints: slices.Clone(vm.Hints), variables: slices.Clone(vm.asked)}
	s.config.Context, s.config.Stop, s.config.Stdin, s.config.Stdout, s.config.Stderr = nil, nil, nil, nil, nil
	s.config.Args, s.config.Env, s.config.Dirs = slices.Clone(c.Args), slices.Clone(c.Env), slices.Clone(c.Dirs)
	s.config.Mounts = slices.Clone(c.Mounts)
	s.crossing.byHost = maps.Clone(vm.crossing.byHost)
	if vm.types.used {
		t := *vm.typeSlots()
		s.types = &t
	}
	return s, nil
}

// Fits reports whether an instance with the configuration would have reached this start by
// initialising its packages. units is the gas for that.
func (s *Start) Fits(c *Config, units int64) bool {
	was := &s.config
	limits := func(c *Config) [3]uint64 {
		vm := VM{Config: *c}
		return [3]uint64{vm.memoryLimit(), vm.StackLimit(), uint64(max(0, c.MaxFiles))}
	}
	switch {
	case !c.Keepable(), limits(c) != limits(was), c.Gas > 0 && c.Gas < units,
		c.Realtime != was.Realtime, c.RealRandom != was.RealRandom:
		return false
	case s.consulted&ir.ReadsArgs != 0 && (c.Name != was.Name || (c.Args == nil) != (was.Args == nil) || !slices.Equal(c.Args, was.Args)),
		s.consulted&ir.ReadsEnv != 0 && !slices.Equal(c.Env, was.Env),
		s.consulted&ir.DrawsRandom != 0 && c.Seed != was.Seed:
		return false
	case s.consulted&ir.ReadsGrants != 0:
		same := func(a, b api.Mount) bool {
			return a.Guest == b.Guest && a.Write == b.Write && (a.FS == nil) == (b.FS == nil)
		}
		return slices.Equal(c.Dirs, was.Dirs) && slices.EqualFunc(c.Mounts, was.Mounts, same)
	}
	return true
}

// New makes an instance that has initialised its packages. Its configuration must fit. The caller
// sets Exec, with a machine that resumes from a copy of the start's machine.
func (s *Start) New(c Config) (*VM, error) { return startVM(&VM{Mod: s.Mod, begins: s}, c) }

// begin gives the machine the state of the host functions. The configuration is set.
func (vm *VM) begin(s *Start) {
	vm.call.funcs, vm.crossing = slices.Clip(s.funcs), s.crossing
	vm.crossing.byHost = maps.Clone(s.crossing.byHost)
	vm.clock.jumped = s.jumped
	if s.consulted&ir.DrawsRandom != 0 {
		*vm.rng.runtime, *vm.rng.bytes = s.runtime, s.bytes
	}
	for _, q := range s.queue {
		vm.queue.list.Append(q)
	}
	vm.stats, vm.inits, vm.Began = s.stats, s.inits, s.began
	vm.Hints, vm.asked = slices.Clone(s.hints), slices.Clone(s.variables)
	vm.types.mask = make([]uint64, s.mask)
	if s.types != nil {
		*vm.typeSlots() = *s.types
		vm.types.used, vm.types.dynamic = true, s.dynamic
	}
}
