package engine

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gyrvm/gyr/internal/back/interp"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A Config is what one instance of a program is given, gyr.Config and what the tools of this module ask for.
type Config struct {
	rt.Config
	Profiles Profile // what is recorded for Instance.WriteProfile
	Tier     Tier    // what executes the code
	Debug    Debug   // in place of rt.Config's, which is part of it
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

// An Instance is one run of a program: its memory, goroutines and files. One
// goroutine at a time may use it, as one may a variable, but nothing breaks when two do: while a method
// runs every other one fails with [ErrBusy] and changes nothing, be it called by another goroutine
// or by a Reader or Writer that the run calls. Methods without an error say nothing then.
// [Instance.Close] alone may be called at any time.
//
// After a run has ended, by itself or by an error, the instance takes [Instance.Reset] and Close, and
// tells about the run; anything else is [ErrEnded].
type Instance struct {
	prog  *Program
	state atomic.Uint32 // see state.go; the other fields are those of who has the instance
	tier  atomic.Value  // Tier
	stop  *rt.Stop      // asked for by Close

	engine
	stats Stats

	left     []<-chan struct{} // closed when calls of the host's code that runs left behind return
	closeErr error
}

// NewInstance prepares a run of the program. A Config that cannot be followed is a [*ConfigError].
func (p *Program) NewInstance(cfg Config) (*Instance, error) {
	if p == nil || p.mod == nil {
		return nil, errors.New("gyr: NewInstance of a Program that Compile did not return")
	}
	in := &Instance{prog: p, stop: rt.NewStop()}
	e, err := p.engine(cfg, in.stop)
	if err != nil {
		return nil, err
	}
	in.start(e)
	in.state.Store(stateFresh)
	return in, nil
}

// An engine is what an instance has from its beginning or Reset to the next Reset or its end.
type engine struct {
	cfg Config
	vm  *rt.VM
	m   machine
}

// engine makes an engine.
func (p *Program) engine(cfg Config, stop *rt.Stop) (engine, error) {
	if err := cfg.check(p); err != nil {
		return engine{}, err
	}
	snap, err := p.snapshot()
	if err != nil {
		return engine{}, err
	}
	c := cfg.Config
	c.Debug = cfg.Debug.Debug
	c.Stop, c.Env, c.Args = stop, slices.Clone(c.Env), slices.Clone(c.Args)
	if c.Name == "" {
		c.Name = "main"
	}
	vm, err := snap.New(c)
	if errors.As(err, new(*MemoryLimitError)) {
		err = configError("Memory", err)
	}
	if err != nil {
		return engine{}, err
	}
	m, tier, err := p.machine(vm, &cfg)
	if err != nil {
		vm.Close()
		return engine{}, err
	}
	cfg.Tier = tier
	return engine{cfg, vm, m}, nil
}

// start gives the instance an engine.
func (in *Instance) start(e engine) {
	in.engine, in.stats = e, Stats{}
	in.tier.Store(e.cfg.Tier)
}

// Run runs the program to its end. It returns nil for exit status 0; see the
// package comment for the errors. A program compiled with [Source.Exports] has no
// main function: Run initialises its packages, and calls may follow. A canceled or expired context ends the run
// with a DeadlineError within about a millisecond. A nil context never ends it.
//
// A Reader or Writer that panics ends the run with a [*HostError] that wraps a [*PanicError]; one that calls
// [runtime.Goexit] ends the goroutine that called Run. Either way the run is over.
func (in *Instance) Run(ctx context.Context) error {
	was, err := in.take()
	if err != nil {
		return err
	}
	next := was
	defer func() { in.put(was, next) }()
	switch was {
	case stateReady:
		return nil
	case stateEnded, stateFailed:
		return ErrEnded
	}
	next = stateFailed // should run not return
	start := time.Now()
	next, err = in.run(ctx, true)
	in.stats.Wall += time.Since(start)
	return err
}

// run runs the program until it ends or, if it was compiled for calls, waits
// for the next one. It returns the state. The caller has the instance. A long run is one that
// nobody but Close may be able to end.
func (in *Instance) run(ctx context.Context, long bool) (next uint32, err error) {
	in.vm.SetContext(ctx)
	st, err := in.execute(long)
	if st == rt.Yield && err == nil {
		return stateReady, nil
	}
	if err == nil {
		err = asClosed(in.vm.Finish(st))
	}
	if err != nil && !errors.As(err, new(*ExitError)) {
		return stateFailed, err
	}
	return stateEnded, err
}

// execute lets the machine run. A panic that it does not make a status of itself, of the
// engine's functions of the host say, ends the instance.
func (in *Instance) execute(long bool) (st rt.Status, err error) {
	defer in.recovered(&err)
	failure.At("running")
	if in.vm.Unattended(long) {
		return in.m.Run(), nil
	}
	return in.vm.Supervise(long, in.m.Run), nil
}

// recovered is failure.Recover for execute, which every call goes through: it makes the closure that
// tells the position when there is a panic, not before.
func (in *Instance) recovered(err *error) {
	if r := recover(); r != nil {
		*err = failure.New("running", r, in.vm.Here)
	}
}

// look calls f with the instance taken, for methods that only read. It reports false if there is
// nothing to read: somebody uses the instance, or it is closed.
func (in *Instance) look(f func(state uint32)) bool {
	was, err := in.take()
	if err != nil {
		return false
	}
	defer in.put(was, was)
	f(was)
	return true
}

// Tier names what executes the instance's code: [TierInterp] or [TierNative]. It may be called at
// any time.
func (in *Instance) Tier() string {
	if in == nil {
		return ""
	}
	tier, _ := in.tier.Load().(Tier)
	return string(tier)
}

// Hints are sentences for the user of a run that failed: which flag or field
// would have granted what the guest was refused. There are none while the instance is in use or closed.
func (in *Instance) Hints() (hints []string) {
	in.look(func(uint32) { hints = slices.Clone(in.vm.Hints) })
	return hints
}

// maxTraceback is how many frames Traceback tells.
const maxTraceback = 100

// Traceback returns where the goroutine was that ran when the run ended with an error
// of the engine's, a limit above all: the innermost frame first, at most 100. It is empty
// when the run ended otherwise (a panic has printed its own), has not ended, or all
// goroutines waited, and while the instance is in use or closed.
func (in *Instance) Traceback() (frames []Position) {
	in.look(func(state uint32) {
		if state == stateFailed {
			frames = in.vm.Traceback(maxTraceback)
		}
	})
	return frames
}

// Stats returns the figures of the run so far, also when the instance is closed. They are zero while
// it is in use.
func (in *Instance) Stats() (s Stats) {
	if !in.look(func(uint32) { s = in.figures() }) && in != nil && in.state.Load() == stateClosed {
		s = in.stats
	}
	return s
}

// figures is Stats for who has the instance.
func (in *Instance) figures() Stats {
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
	was, err := in.take()
	if err != nil {
		return err
	}
	defer in.put(was, was)
	if m, ok := in.m.(*interp.Machine); ok {
		return m.WriteOpStats(w)
	}
	return nil
}

// Reset makes the instance one that [Program.NewInstance] has just returned: what
// the guest did to its memory is gone, limits and figures start anew. If it fails the instance is as
// before. Functions of [Instance.Bind] and [FuncOf] stay good.
func (in *Instance) Reset(cfg Config) (err error) {
	was, err := in.take()
	if err != nil {
		return err
	}
	next := was
	defer func() {
		if in.put(was, next) && err == nil {
			err = ErrClosed
		}
	}()
	e, err := in.prog.engine(cfg, in.stop)
	if err != nil {
		return err
	}
	err = in.drop()
	in.start(e)
	next = stateFresh
	return err
}
