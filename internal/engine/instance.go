package engine

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/back/interp"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A Config describes what one instance of a program may use: the settings of package api, and
// further ones for the tools of this module.
type Config struct {
	api.Config
	rt.Setup
	Debug Debug // used instead of the field of api.Config
}

// ConfigOf returns a configuration with the settings of an embedder. The embedder may change the
// lists in them later.
func ConfigOf(c api.Config) (Config, error) {
	c.Dirs, c.Mounts = slices.Clone(c.Dirs), slices.Clone(c.Mounts)
	debug, err := DebugOf(c.Debug)
	return Config{Config: c, Debug: debug}, err
}

// An Instance is one run of a program: its memory, goroutines and files. Like a variable, it may be
// used by one goroutine at a time, but concurrent use breaks nothing. While a method runs, every
// other method fails with [api.ErrBusy] and changes nothing, whether another goroutine calls it or
// a Reader or Writer that the run calls. Methods without an error then return nothing. Only
// [Instance.Close] may be called at any time.
//
// After a run has ended, by itself or by an error, [Instance.Reset] and Close may be called, and
// the methods that report on the run; all others return [api.ErrEnded].
type Instance struct {
	prog  *Program
	state atomic.Uint32 // see state.go; the caller that has taken the instance owns the other fields
	tier  atomic.Value  // Tier
	stop  *rt.Stop      // Close requests it

	engine
	past  *history // nil: no transaction has begun
	stats Stats

	left     []held // code of the host that still runs after closing
	closeErr error
}

// NewInstance prepares a run of the program. A Config with an invalid value is a
// [*api.ConfigError]. The context bounds only NewInstance, not the run: if it ends first the error
// is a [*api.DeadlineError].
func (p *Program) NewInstance(ctx context.Context, cfg Config) (*Instance, error) {
	if p == nil || p.mod == nil {
		return nil, errors.New("gyr: NewInstance of a Program that Compile did not return")
	}
	began := time.Now()
	in := &Instance{prog: p, stop: rt.NewStop()}
	e, _, err := p.engine(orBackground(ctx), cfg, in.stop, nil, "")
	cfg.toldInstance(ctx, hookMake, began, e.began, err)
	if err != nil {
		return nil, err
	}
	in.start(e)
	in.state.Store(stateFresh)
	return in, nil
}

// An engine is what an instance has between NewInstance or Reset and the next Reset or Close.
type engine struct {
	cfg   Config
	vm    *rt.VM
	m     machine
	cause error // cause of the end of the program; nil: it has not ended, or with exit status 0

	begins *start        // the start that it is a copy of, until it runs
	began  api.Beginning // of the figures
	told   bool          // a call has more to do than to be made: hooks.go
	ready  bool          // its packages are initialised
	fresh  Stats         // figures of a watched instance when it was made
	broken bool          // by a bug of ours, after which only a new engine can be trusted
}

// engine makes an engine. If old is not nil the engine takes over its resources, if possible. Then
// old is gone, and reused is set, whatever the error. The engine begins as a copy unless afresh is a
// reason why not.
func (p *Program) engine(ctx context.Context, cfg Config, stop *rt.Stop, old *engine, afresh string) (_ engine, reused bool, err error) {
	began := time.Now()
	if err := cfg.check(p); err != nil {
		return engine{}, false, err
	}
	if ctx.Err() != nil {
		return engine{}, false, &api.DeadlineError{Err: context.Cause(ctx)}
	}
	snap, err := p.snapshot(ctx)
	if err != nil {
		return engine{}, false, err
	}
	c := rt.Config{Config: cfg.Config, Setup: cfg.Setup, Debug: cfg.Debug.Debug}
	c.HostFuncs, c.Types, c.Unsafe = p.hostFuncs, p.crossing, p.usesUnsafe != ""
	c.Stop, c.Env, c.Args = stop, slices.Clone(c.Env), slices.Clone(c.Args)
	if c.Name == "" {
		c.Name = "main"
	}
	c.Starter = p.starter(&cfg)
	var begins *start
	var from *rt.Start
	if afresh == "" {
		if begins, afresh = p.begin(&cfg, &c); begins != nil {
			from = begins.Start
		} else {
			c.Watch = p.watches(&cfg, &c)
		}
	}
	var vm *rt.VM
	switch {
	case old != nil && old.rewinds(&cfg) && c.Holds(snap, from):
		sys, err := old.vm.System(c)
		if err != nil {
			return engine{}, false, err
		}
		reused = true
		if vm = old.vm; vm.Rewind(snap, from, c, sys) == nil {
			break
		}
		vm.Close()
		fallthrough
	default:
		if begins != nil {
			vm, err = begins.New(c)
		} else {
			vm, err = snap.New(c)
		}
	}
	if errors.As(err, new(*api.MemoryLimitError)) {
		err = configError("Memory", err)
	}
	if err != nil {
		return engine{}, reused, err
	}
	vm.Sentinels = p.sentinels
	var was machine
	if old != nil && vm == old.vm {
		was = old.m
	}
	m, tier, err := p.machine(vm, &cfg, was)
	if err != nil {
		vm.Close()
		return engine{}, reused, err
	}
	if begins != nil {
		m.Resume(begins.image)
	}
	cfg.Tier = tier
	return engine{cfg: cfg, vm: vm, m: m, begins: begins, told: cfg.Hooks != nil || cfg.Labels != nil,
		began: api.Beginning{Copy: begins != nil, Reason: afresh, Made: time.Since(began)}}, reused, nil
}

// rewinds reports whether an engine with the configuration can be made of this one in place. Neither
// may have profiles or debug settings. This engine must not have failed by a bug, and no code of the
// host may still use it.
func (e *engine) rewinds(cfg *Config) bool {
	return !e.broken && e.vm.LeftBehind() == nil && e.vm.Offline() && cfg.plain() && e.cfg.plain() &&
		(cfg.Tier == e.cfg.Tier || cfg.Tier == api.TierAuto && e.cfg.Tier == DefaultTier)
}

// start gives the instance an engine.
func (in *Instance) start(e engine) {
	in.engine, in.stats = e, Stats{}
	if e.begins != nil {
		in.fresh = e.begins.fresh
	} else if in.vm.Config.Watch {
		in.fresh = in.figures()
	}
	in.tier.Store(e.cfg.Tier)
}

// Run runs the program to its end. It returns nil for exit status 0; see the package comment for
// the errors. A program compiled with [Source.Exports] has no main function: Run initialises its
// packages, and calls may follow. A canceled or expired context ends the run with a DeadlineError
// within about a millisecond. A nil context never ends it.
//
// A Reader or Writer that panics ends the run with a [*api.HostError] that wraps a
// [*api.HostPanicError]. One that calls [runtime.Goexit] ends the goroutine that called Run. In
// both cases the run has ended.
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
		return in.ended()
	}
	next = stateFailed // in case run does not return
	if err := notEnded(ctx); err != nil {
		in.cause = err // a short run would not check the context
		return err
	}
	start := time.Now()
	if in.told {
		in.tell(orBackground(ctx), "main", func(ctx context.Context) (api.CallStats, error) {
			before := in.counters()
			next, err = in.run(ctx, true)
			return difference(before, in.counters()), err
		})
	} else {
		next, err = in.run(ctx, true)
	}
	in.stats.Wall += time.Since(start)
	return err
}

// run runs the program until it ends or, if it was compiled for calls, waits for the next call. It
// returns the new state. The caller has taken the instance. A long run is one that perhaps only
// Close can end.
func (in *Instance) run(ctx context.Context, long bool) (next uint32, err error) {
	in.vm.SetContext(ctx)
	library := in.prog.mod.Exports != nil
	if in.begins != nil && in.begins.Recorded() {
		began := time.Now()
		if err := in.replay(ctx); err != nil {
			return stateFailed, err
		}
		if in.begins != nil {
			in.began.Init = time.Since(began)
			in.cfg.toldInstance(ctx, hookInit, began, in.began, nil)
		}
	}
	if in.begins != nil {
		in.begins, in.ready = nil, true
		if library {
			return stateReady, nil
		}
	}
	if in.ready {
		return in.goOn(long)
	}
	if next, err = in.initialise(ctx, long, library); next != stateReady || library {
		return next, err
	}
	return in.goOn(long)
}

// initialise runs an instance until its packages are initialised and the warm-up calls are made. It
// returns the new state.
func (in *Instance) initialise(ctx context.Context, long, library bool) (next uint32, err error) {
	began := time.Now()
	next, err = in.goOn(long)
	if next == stateReady {
		in.ready = true
		if library {
			next, err = in.warmUp(long)
		}
	}
	if next == stateReady {
		in.keep()
	}
	in.unwatch()
	if next == stateReady || library { // otherwise most of it may be the main function
		in.began.Init += time.Since(began)
		in.cfg.toldInstance(ctx, hookInit, began, in.began, err)
	}
	return next, err
}

// goOn is run without the steps after initialisation.
func (in *Instance) goOn(long bool) (next uint32, err error) {
	return in.outcome(in.execute(long))
}

// outcome returns the state after a run and its error, for a result of execute.
func (in *Instance) outcome(st rt.Status, err error) (next uint32, _ error) {
	if st == rt.Yield && err == nil {
		return stateReady, nil
	}
	if err == nil {
		err = asClosed(in.vm.Finish(st))
	}
	in.cause = err
	if err != nil && !errors.As(err, new(*api.ExitError)) {
		in.broken = in.broken || errors.As(err, new(*api.InternalError))
		return stateFailed, err
	}
	return stateEnded, err
}

// execute runs the machine. A panic that the machine does not turn into a status itself, for
// example one in the engine's host functions, ends the instance.
func (in *Instance) execute(long bool) (st rt.Status, err error) {
	over := false
	defer func() {
		if !over { // every call goes through here, and recover has its price
			if r := recover(); r != nil {
				err = in.panicked(r)
			}
		}
	}()
	failure.At("running")
	if in.vm.Unattended(long) {
		st = in.m.Run()
	} else {
		st = in.vm.Supervise(long, in.m.Run)
	}
	over = true
	return st, nil
}

// recovered is failure.Recover for the caller's work. It makes the closure that finds the position
// only when a panic occurs.
func (in *Instance) recovered(err *error) {
	if r := recover(); r != nil {
		*err = in.panicked(r)
	}
}

func (in *Instance) panicked(r any) error { return failure.New("running", r, in.vm.Here) }

// look takes the instance and calls f, for methods that only read. It reports false if the instance
// is in use or closed.
func (in *Instance) look(f func(state uint32)) bool {
	was, err := in.take()
	if err != nil {
		return false
	}
	defer in.put(was, was)
	f(was)
	if h := in.past; h != nil {
		h.present = h.was
	}
	return true
}

// Tier returns what executes the instance's code: [api.TierInterp] or [api.TierNative]. It may be
// called at any time.
func (in *Instance) Tier() string {
	if in == nil {
		return ""
	}
	tier, _ := in.tier.Load().(api.Tier)
	return string(tier)
}

// A Hint says what a guest was refused, and which flag or field grants it.
type Hint = rt.Hint

// A Need is the kind of grant that a guest did not have.
type Need = rt.Need

// The kinds of grants.
const (
	NeedEnv   = rt.NeedEnv
	NeedRead  = rt.NeedRead
	NeedWrite = rt.NeedWrite
)

// Hints returns what the guest of a failed run was refused. It is empty while the instance is in
// use or closed.
func (in *Instance) Hints() (hints []Hint) {
	in.look(func(uint32) { hints = slices.Clone(in.vm.Hints) })
	return hints
}

// maxTraceback is the largest number of frames that Traceback returns.
const maxTraceback = 100

// Traceback returns where the running goroutine was when the run ended with an error of the engine,
// usually a limit: the innermost frame first, at most 100. It is empty when the run ended otherwise
// (after a panic the guest has printed its own), has not ended, or all goroutines waited, and while
// the instance is in use or closed.
func (in *Instance) Traceback() (frames []api.Position) {
	in.look(func(state uint32) {
		if state == stateFailed {
			frames = in.vm.Traceback(maxTraceback)
		}
	})
	return frames
}

// Stats are the figures of a run, and further ones for work on gyr itself.
type Stats struct {
	api.Stats
	Instructions     uint64 // of the interpreter, which counts them only with Debug "count", "opstats" or "blocks", and of machine code with "blocks"
	InitInstructions uint64 // the part before the program's own initialisation
}

// Stats returns the figures of the run so far, even after Close. They are zero while the instance
// is in use.
func (in *Instance) Stats() (s Stats) {
	if !in.look(func(uint32) { s = in.figures() }) && in != nil && in.state.Load() == stateClosed {
		s = in.stats
	}
	return s
}

// Beginning is Stats().Began, without the other figures.
func (in *Instance) Beginning() (b api.Beginning) {
	in.look(func(uint32) { b = in.began })
	return b
}

// figures is Stats for callers that have taken the instance.
func (in *Instance) figures() Stats {
	if in.begins != nil {
		s := in.fresh
		s.Began = in.began
		return s
	}
	s := in.stats
	s.Began = in.began
	h := in.vm.Heap.Stats()
	s.Gas, s.Instructions = in.m.GasUsed(), in.m.Instructions()
	s.InitPackages = len(in.prog.snap.Live)
	s.InitGas, s.InitInstructions = in.m.Free()
	s.Mallocs, s.AllocBytes, s.HeapPeak, s.Collections = h.Mallocs, h.TotalAlloc, h.Peak, h.NumGC
	b := &in.vm.Began
	s.InitMallocs, s.InitAllocBytes, s.InitHeap = b.Mallocs, b.TotalAlloc, b.InUse
	return s
}

// WriteOpStats writes the operations that the interpreter executed most, including pairs and
// triples. It writes nothing without Debug "opstats".
func (in *Instance) WriteOpStats(w io.Writer) error {
	was, err := in.take()
	if err != nil {
		return err
	}
	defer in.put(was, was)
	defer in.stop.Enter(in.stop.Enter(rt.InProfile))
	if m, ok := in.m.(*interp.Machine); ok {
		return m.WriteOpStats(w)
	}
	return nil
}

// Reset restores the instance to the state in which [Program.NewInstance] returned it: the guest's
// changes to its memory are gone, limits and figures start anew. If Reset fails the instance is as
// before, unless the operating system has refused memory: then the run has ended. It ends an open
// transaction and calls the functions that host functions have registered with [Undo]. If one
// panics, the instance is reset all the same, and the error is a [*api.HostError]. Functions made
// by [Instance.Bind] and [FuncOf] remain usable.
func (in *Instance) Reset(cfg Config) (err error) {
	was, err := in.take()
	if err != nil {
		return err
	}
	next := was
	defer func() {
		if in.put(was, next) && err == nil {
			err = api.ErrClosed
		}
	}()
	began := time.Now()
	e, reused, err := in.prog.engine(context.Background(), cfg, in.stop, &in.engine, "")
	cfg.toldInstance(nil, hookReset, began, e.began, err)
	if err != nil {
		if reused { // the old contents are gone, but the instance can be reset
			in.broken, next = true, stateEnded
			if h := in.past; h != nil && h.open { // it cannot be rolled back either
				h.open = false
				err = errors.Join(err, in.vm.Undo())
			}
		}
		return err
	}
	due := in.forgetPast()
	if !reused {
		in.vm.CloseHandles()
		err = in.drop()
	}
	in.start(e)
	next = stateFresh
	if due != nil {
		err = errors.Join(err, due.Undo())
	}
	return err
}
