package hot

import (
	"errors"
	"runtime"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/sample"
)

// A Recorder profiles a guest in the stretches between Start and Stop. A profile takes two
// instances of the program, one after the other: one that is sampled, and one that counts.
// Configure prepares their configurations. Each is passed to On.
//
// The guest's Writers and observers call Start and Stop on the goroutine that runs the guest. The
// sampled thread is theirs.
type Recorder struct {
	prog *engine.Program
	cfg  sample.Config
	in   *engine.Instance

	counting bool
	on       bool
	before   []engine.FuncCounts
	counts   []engine.FuncCounts
	ticks    []engine.FuncCounts // of the interpreter
	tier     string

	samplers map[int]*sample.Sampler // by thread: the goroutine may move to another one between two stretches
	now      *sample.Sampler
	denied   error
}

// Configure prepares an instance's configuration for a recorder.
func Configure(cfg *engine.Config, counting bool) {
	interp := cfg.Tier == api.TierInterp
	switch {
	case counting:
		cfg.Debug.Blocks, cfg.Debug.OpStats, cfg.Debug.Count = true, interp, false
	case interp:
		cfg.Profiles |= api.CPUProfile
	}
}

// NewRecorder makes a recorder of a program's instances.
func NewRecorder(p *engine.Program, cfg sample.Config) *Recorder {
	cfg.Calls, cfg.Stack, cfg.Unwind = true, stackBytes, (&unwinder{prog: p}).unwind
	return &Recorder{prog: p, cfg: cfg, samplers: map[int]*sample.Sampler{}}
}

// On announces the next instance, and whether it counts or is sampled.
func (r *Recorder) On(in *engine.Instance, counting bool) {
	r.in, r.counting, r.on, r.tier = in, counting, false, in.Tier()
}

// Start begins a stretch.
func (r *Recorder) Start() {
	if r.on {
		return
	}
	r.on = true
	if r.counting {
		r.before = r.in.CountsWithin()
		return
	}
	r.before = r.in.SampledWithin()
	if r.denied != nil {
		return
	}
	runtime.LockOSThread()
	tid := sample.Thread()
	if r.samplers[tid] == nil {
		s, err := sample.OpenThread(r.cfg)
		if err != nil {
			r.denied = err
			runtime.UnlockOSThread()
			return
		}
		r.samplers[tid] = s
	}
	r.now = r.samplers[tid]
	if err := r.now.Start(); err != nil {
		r.denied, r.now = err, nil
		runtime.UnlockOSThread()
	}
}

// Stop ends a stretch.
func (r *Recorder) Stop() {
	if !r.on {
		return
	}
	r.on = false
	if r.counting {
		r.counts = Add(Since(r.before, r.in.CountsWithin()), r.counts)
		return
	}
	r.ticks = Add(Since(r.before, r.in.SampledWithin()), r.ticks)
	if r.now != nil {
		if err := r.now.Stop(); err != nil && r.denied == nil {
			r.denied = err
		}
		r.now = nil
		runtime.UnlockOSThread()
	}
}

// Discard drops the records of the current instance: a benchmark has reset its timer.
func (r *Recorder) Discard() {
	if r.counting {
		r.counts, r.before = nil, r.in.CountsWithin()
		return
	}
	r.ticks, r.before = nil, r.in.SampledWithin()
	for _, s := range r.samplers {
		s.Discard()
	}
}

// Denied is the reason why no samples exist, nil if they do.
func (r *Recorder) Denied() error { return r.denied }

// Profile makes the profile. sampled and counted are the iterations of the two instances. Without
// samples it uses the counts' shares and says so in Failed.
func (r *Recorder) Profile(sampled, counted int, always ...string) *record.Profile {
	g := &Guest{Program: r.prog, Tier: r.tier, Ticks: r.ticks, N: sampled, Counts: r.counts, Counted: counted, Always: always}
	for _, s := range r.samplers {
		list, _ := s.Samples()
		g.Samples, g.By = append(g.Samples, list...), s.By()
	}
	p := g.Profile()
	if r.denied != nil && p.Failed == "" {
		p.Failed = r.denied.Error()
	}
	return p
}

// Close releases the samplers.
func (r *Recorder) Close() error {
	var list []error
	for _, s := range r.samplers {
		list = append(list, s.Close())
	}
	return errors.Join(list...)
}
