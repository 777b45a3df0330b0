package rt

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// A Start is an instance that has initialised its packages, as a beginning for others. A library's
// Start waits for the first call, any other program's for its main function. It holds memory, the
// state of the heap, and the state of the host functions. The caller copies the machine of the
// tier.
//
// # What a start may hold
//
// Initialisation makes requests to the host. Their results are already in memory, so another
// instance may begin from the start only if it would have got the same answers. [Start.Misfit]
// compares the parts of its configuration that the initialisation asked about (the flags of
// ir.PrimitiveFlags). It also compares the limits, which may decide when a collection happens. Gas,
// clock and random numbers continue where the initialisation left them. Functions with other
// effects (files, output, the network, waiting for input) have no such flag. An initialisation that
// calls one yields no start: every instance runs it again.
//
// Calls of deterministic functions of host packages are recorded (replay.go) and made again for
// every instance.
//
// # Reasons
//
// Where no start can be, a sentence says why. Users read it: see api.Beginning.
//
// A Start is immutable and safe for concurrent use.
type Start struct {
	Mod       *ir.Module
	config    Config // of the instance that was copied
	consulted ir.PrimitiveFlags
	logs      bool // it has a log
	recorded  []recordedCall
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
const parts = ir.ReadsArgs | ir.ReadsEnv | ir.ReadsClock | ir.DrawsRandom | ir.ReadsGrants | ir.ReadsLog

// watch returns fn with a record of its calls.
func (vm *VM) watch(name string, fn Func) Func {
	info := ir.PrimitiveNamed(name)
	if info == nil || info.Flags&(parts|ir.Kept|ir.InSnapshot|ir.CallsHost) == 0 {
		return func(vm *VM, a *ir.Args) Status {
			vm.unkeep(effectOf(name, a))
			return fn(vm, a)
		}
	}
	flags := info.Flags & parts
	if flags == 0 {
		return fn
	}
	return func(vm *VM, a *ir.Args) Status {
		if flags == ir.ReadsLog && vm.Config.Log != nil && !vm.inits.free { // before, it asks whether there is a log
			vm.unkeep("its initialisation uses Config.Log")
		}
		vm.consulted |= flags
		return fn(vm, a)
	}
}

// Unwatch ends the noting. It returns why no start can be made of the instance, empty if one can.
func (vm *VM) Unwatch() string {
	vm.watched, vm.recorded = false, nil
	return vm.unkept
}

// unkeep notes why no start can be made of the instance. The first reason stays.
func (vm *VM) unkeep(why string) {
	if vm.unkept == "" {
		vm.unkept = why
	}
}

// effects say what an initialisation does that calls a function of the host, by the function's name
// or the beginning of it.
var effects = []struct{ name, text string }{
	{wasi.Module + ".fd_read", "reads a file or the standard input"},
	{wasi.Module + ".fd_pread", "reads a file"},
	{wasi.Module + ".path_open", "opens a file"},
	{wasi.Module + ".fd_readdir", "reads a directory"},
	{wasi.Module + ".path_filestat_get", "looks for a file"},
	{wasi.Module + ".poll_oneoff", "waits for input"},
	{wasi.Module + ".", "uses the file system"},
	{"write", "writes to Config.Stderr"},
	{"gyr_fs.", "uses the file system"},
	{"gyr_net.", "uses the network"},
	{"netpoll", "uses the network"},
	{"gyr.log", "logs"},
	{"host", "calls a host function with callbacks"},
}

// effectOf says what an initialisation does that calls a function of the host.
func effectOf(name string, a *ir.Args) string {
	if name == wasi.Module+".fd_write" {
		switch a[0] {
		case 1:
			return "its initialisation writes to Config.Stdout"
		case 2:
			return "its initialisation writes to Config.Stderr"
		}
		return "its initialisation writes a file"
	}
	for _, e := range effects {
		if strings.HasPrefix(name, e.name) {
			return "its initialisation " + e.text
		}
	}
	return "its initialisation calls " + name
}

// NotKept says why no instance with the configuration can begin as another, or be what others begin
// as: somebody observes it. It is empty otherwise.
func (c *Config) NotKept() string {
	switch {
	case c.Accounts != nil, c.Fuzz != nil, c.Observer != nil, c.Seen != nil:
		return "a tool observes it"
	case c.Debug != Debug{}:
		return "Config.Debug observes it"
	}
	return ""
}

// Start copies the machine, which was made with Config.Watch and has left its run with Yield. If
// what it has done cannot be kept there is no start, and a sentence that says why.
func (vm *VM) Start() (_ *Start, why string, err error) {
	c := &vm.Config
	switch {
	case vm.unkept != "":
		return nil, vm.unkept, nil
	case c.NotKept() != "":
		return nil, c.NotKept(), nil
	case c.Realtime && vm.consulted&ir.ReadsClock != 0:
		return nil, "its initialisation asks for the time, and Config.Realtime gives the machine's", nil
	case c.RealRandom && vm.consulted&ir.DrawsRandom != 0:
		return nil, "its initialisation draws random numbers, and Config.RealRandom gives the machine's", nil
	case slices.ContainsFunc(vm.hosts.open, func(c *hostCall) bool { return c != nil }):
		return nil, "a goroutine of its initialisation is in a call of a host function", nil
	case !vm.watched || vm.CPU != nil || vm.Watch != nil || vm.dying || vm.pending != OK || vm.call.waits || vm.call.runs:
		return nil, "its initialisation has not come to rest", nil
	}
	m, err := vm.Heap.SnapshotWhole()
	if err == memory.ErrNoSnapshot {
		return nil, "a collection is due at the end of its initialisation", nil
	}
	if err != nil {
		return nil, "", err
	}
	counters, err := vm.Space.Counters(vm.Mod.Counters)
	if err != nil {
		return nil, "", err
	}
	s := &Start{Mod: vm.Mod, config: *c, consulted: vm.consulted, logs: c.Log != nil, recorded: vm.recorded, memory: m, counters: slices.Clone(counters), dynamic: vm.types.dynamic, mask: len(vm.types.mask),
		funcs: slices.Clone(vm.call.funcs), crossing: vm.crossing, jumped: vm.clock.jumped, runtime: *vm.rng.runtime, bytes: *vm.rng.bytes,
		queue: slices.Clone(vm.queue.list.List[vm.queue.head:]), stats: vm.stats, inits: vm.inits, began: vm.Began,
		hints: slices.Clone(vm.Hints), variables: slices.Clone(vm.asked)}
	s.config.Context, s.config.Stop, s.config.Stdin, s.config.Stdout, s.config.Stderr = nil, nil, nil, nil, nil
	s.config.Dial, s.config.Listen, s.config.Log, s.config.Starter = nil, nil, nil, nil
	s.config.Args, s.config.Env, s.config.Dirs = slices.Clone(c.Args), slices.Clone(c.Env), slices.Clone(c.Dirs)
	s.config.Mounts = slices.Clone(c.Mounts)
	s.crossing.byHost = maps.Clone(vm.crossing.byHost)
	if vm.types.used {
		t := *vm.typeSlots()
		s.types = &t
	}
	return s, "", nil
}

// Misfit says why an instance with the configuration would not have initialised its packages to
// this start, which took units of gas. It is empty if it would.
func (s *Start) Misfit(c *Config, units int64) string {
	was := &s.config
	limits := func(c *Config) [3]uint64 {
		vm := VM{Config: *c}
		return [3]uint64{vm.memoryLimit(), vm.StackLimit(), uint64(max(0, c.MaxFiles))}
	}
	asks := func(part ir.PrimitiveFlags) bool { return s.consulted&part != 0 }
	switch {
	case c.NotKept() != "":
		return c.NotKept()
	case limits(c) != limits(was):
		return "its Config.Memory or Stack is another one than that of the copied instance"
	case c.Gas > 0 && c.Gas < units:
		return "its Config.Gas is less than initialisation takes"
	case c.Realtime != was.Realtime, c.RealRandom != was.RealRandom:
		return "its Config.Realtime or RealRandom is another one than that of the copied instance"
	case asks(ir.ReadsArgs) && (c.Name != was.Name || (c.Args == nil) != (was.Args == nil) || !slices.Equal(c.Args, was.Args)):
		return "its initialisation reads the arguments, and they differ"
	case asks(ir.ReadsEnv) && !slices.Equal(c.Env, was.Env):
		return "its initialisation reads the environment, and that differs"
	case asks(ir.DrawsRandom) && c.Seed != was.Seed:
		return "its initialisation draws random numbers, and Config.Seed differs"
	case asks(ir.ReadsLog) && (c.Log != nil) != s.logs:
		return "the copied instance has a Config.Log, or it has one"
	case asks(ir.ReadsGrants):
		same := func(a, b api.Mount) bool {
			return a.Guest == b.Guest && a.Write == b.Write && (a.FS == nil) == (b.FS == nil)
		}
		if !slices.Equal(c.Dirs, was.Dirs) || !slices.EqualFunc(c.Mounts, was.Mounts, same) || (c.Roots == nil) != (was.Roots == nil) {
			return "its initialisation asks for its directories, and they differ"
		}
	}
	return ""
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
