package gyr

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/inspect"
	"github.com/gyrvm/gyr/internal/interp"
	"github.com/gyrvm/gyr/internal/opt"
	"github.com/gyrvm/gyr/internal/rt"
)

// A Config is what one instance of a program is given. The zero value gives
// nothing of the machine, virtual time, and the default limits.
type Config struct {
	Args []string // arguments after the program's name
	Name string   // the program's name, os.Args[0]; empty: "main"
	Env  []string // NAME=value
	Dirs []Dir    // directories of the host that the guest may use

	// One read or write of the guest is one call of these; nothing is buffered.
	// Nil: an empty input, output that vanishes.
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	Seed       uint64 // of map order, select, math/rand and crypto/rand
	RealRandom bool   // take randomness from the machine instead
	Realtime   bool   // the machine's clock; sleeping takes time

	Gas    int64  // units; 0: no limit
	Memory uint64 // bytes of everything that the guest can make grow; 0: 256 MiB
	Stack  uint64 // bytes of one goroutine's stack, in guest units; 0: half of Memory

	// Profiles says what is recorded for Instance.WriteProfile, for instance
	// GasProfile|MemProfile. Recording changes nothing that the guest does, nor any
	// figure of Stats but Wall and Instructions.
	Profiles Profile

	// Tier says what executes the code; empty: DefaultTier where that can be had, see
	// Program.NativeError. An instance stays in one tier, and the tier changes
	// nothing but the time that a run takes.
	Tier Tier

	// Debug holds the settings of the command's -d flag, by name: gcstress and
	// poison (see the command's help), count (count instructions), opstats (count
	// operations, pairs and triples too, slowly).
	Debug map[string]string

	watch inspect.Watch // of gyr test
}

// Stats are the figures of a run. All but Wall are the same on every run, but for
// a few instructions: where the host polls, a charge is made in parts.
type Stats struct {
	Gas          int64  // units charged
	Instructions uint64 // of the interpreter, which counts them only with Debug "count" or "opstats"
	Mallocs      uint64 // objects allocated
	AllocBytes   uint64 // their bytes
	HeapPeak     uint64 // most bytes of heap in use since the program's own initialisation began
	Collections  uint64
	Wall         time.Duration // of Run: reading the clock takes longer than a short call

	// What the start took before the program's own initialisation: packages of
	// the standard library that cannot be part of a snapshot. It is free of gas.
	InitPackages     int
	InitGas          int64  // what it would have cost
	InitInstructions uint64 // counted like Instructions, which has them too
	InitMallocs      uint64 // objects that Mallocs counts, those of the snapshot among them
	InitAllocBytes   uint64 // of AllocBytes
	InitHeap         uint64 // of HeapPeak: bytes in use when the program's own initialisation began
}

// Own returns the figures of memory without those of the start, which depend on how much of the
// standard library the program is linked with.
func (s *Stats) Own() (mallocs, bytes, peak uint64) {
	return s.Mallocs - s.InitMallocs, s.AllocBytes - s.InitAllocBytes, s.HeapPeak - min(s.HeapPeak, s.InitHeap)
}

// An Instance is one run of a program: its memory, goroutines and files. It
// must not be used by two goroutines at once.
type Instance struct {
	prog  *Program
	cfg   Config
	vm    *rt.VM
	m     machine
	tier  Tier
	stats Stats

	started, ended bool
	failed         bool // the run ended with an error of the engine's
}

// NewInstance prepares a run of the program.
func (p *Program) NewInstance(cfg Config) (*Instance, error) {
	if p.opt.NoPass[opt.Metering] && (!cfg.Realtime || cfg.Gas != 0) {
		return nil, errors.New("gyr: a program without charges needs Config.Realtime and no Config.Gas")
	}
	snap, err := p.snapshot()
	if err != nil {
		return nil, err
	}
	vm, err := snap.New(cfg.rt(context.Background()))
	if err != nil {
		return nil, err
	}
	m, tier, err := p.machine(vm, &cfg)
	if err != nil {
		vm.Close()
		return nil, err
	}
	return &Instance{prog: p, cfg: cfg, vm: vm, m: m, tier: tier}, nil
}

func (c *Config) rt(ctx context.Context) rt.Config {
	name := c.Name
	if name == "" {
		name = "main"
	}
	return rt.Config{
		Args: append([]string{name}, c.Args...), Env: c.Env, Dirs: c.Dirs,
		Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr,
		Seed: c.Seed, RealRandom: c.RealRandom, Realtime: c.Realtime,
		Gas: c.Gas, Memory: c.Memory, Stack: c.Stack, Context: ctx, Debug: c.Debug, Accounts: c.watch.Accounts, Fuzz: c.watch.Fuzz, Seen: c.watch.Seen, Observer: c.watch.Observer,
	}
}

// Run runs the program to its end. It returns nil for exit status 0; see the
// package comment for the errors. A program compiled with [Source.Exports] has no
// main function: Run initialises its packages, and calls may follow. A canceled or expired context ends the run
// with a DeadlineError within about a millisecond.
func (in *Instance) Run(ctx context.Context) error {
	switch {
	case in.vm == nil:
		return ErrClosed
	case in.started && in.prog.mod.Exports != nil:
		return nil
	}
	start := time.Now()
	err := in.run(ctx)
	in.stats.Wall += time.Since(start)
	return err
}

// run runs the program until it ends or, if it was compiled for calls, waits
// for the next one.
func (in *Instance) run(ctx context.Context) error {
	in.started = true
	in.vm.SetContext(ctx)
	st, err := in.execute()
	if st == rt.Yield && err == nil {
		return nil
	}
	in.ended = true
	if err == nil {
		err = in.vm.Finish(st)
	}
	in.failed = err != nil && !errors.As(err, new(*ExitError))
	return err
}

// execute lets the machine run. A panic that it does not make a status of itself, of the
// engine's functions of the host say, ends the instance.
func (in *Instance) execute() (st rt.Status, err error) {
	defer failure.Recover(&err, "running", in.vm.Here)
	failure.At("running")
	if in.vm.MayBlock() {
		return in.vm.Supervise(in.m.Run), nil
	}
	return in.m.Run(), nil
}

// Tier names what executes the instance's code: [TierInterp] or [TierNative].
func (in *Instance) Tier() string { return string(in.tier) }

// Hints are sentences for the user of a run that failed: which flag or field
// would have granted what the guest was refused.
func (in *Instance) Hints() []string {
	if in.vm == nil {
		return nil
	}
	return in.vm.Hints
}

// maxTraceback is how many frames Traceback tells.
const maxTraceback = 100

// Traceback returns where the goroutine was that ran when the run ended with an error
// of the engine's, a limit above all: the innermost frame first, at most 100. It is empty
// when the run ended otherwise (a panic has printed its own), has not ended, or all
// goroutines waited.
func (in *Instance) Traceback() []Position {
	if in.vm == nil || !in.failed {
		return nil
	}
	return in.vm.Traceback(maxTraceback)
}

// Stats returns the figures of the run so far.
func (in *Instance) Stats() Stats {
	if in.vm == nil {
		return in.stats
	}
	s := in.stats
	h := in.vm.Heap.Stats()
	s.Gas, s.Instructions = in.m.GasUsed(), in.m.Instructions()
	s.InitPackages = len(in.prog.snap.Live)
	s.InitGas, s.InitInstructions = in.m.Free()
	s.Mallocs, s.AllocBytes, s.HeapPeak, s.Collections = h.Mallocs, h.TotalAlloc, h.Peak, h.NumGC
	b := &in.vm.Began
	s.InitMallocs, s.InitAllocBytes, s.InitHeap = b.Mallocs, b.TotalAlloc, b.InUse
	return s
}

// WriteOpStats writes the operations of the interpreter that were executed
// most, pairs and triples included. It writes nothing without Debug "opstats".
func (in *Instance) WriteOpStats(w io.Writer) error {
	if in.vm == nil {
		return ErrClosed
	}
	if m, ok := in.m.(*interp.Machine); ok {
		return m.WriteOpStats(w)
	}
	return nil
}

// Reset makes the instance one that [Program.NewInstance] has just returned: what
// the guest did to its memory is gone, limits and figures start anew.
func (in *Instance) Reset(cfg Config) error {
	if in.vm == nil {
		return ErrClosed
	}
	fresh, err := in.prog.NewInstance(cfg)
	if err != nil {
		return err
	}
	err = in.Close()
	*in = *fresh
	return err
}

// Close gives the instance's memory and files back.
func (in *Instance) Close() error {
	if in.vm == nil {
		return nil
	}
	in.stats = in.Stats()
	if in.prog.disk != nil {
		in.prog.disk.save(in.prog) // in vain at worst: it is compiled again the next time
	}
	err := in.vm.Close()
	in.vm, in.m = nil, nil
	return err
}
