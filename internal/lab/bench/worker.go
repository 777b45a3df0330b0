package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gyrvm/gyr/api"
	gyr "github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/lab/bench/hot"
	"github.com/gyrvm/gyr/internal/lab/bench/proof"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/sample"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/tools/process"
	"github.com/gyrvm/gyr/internal/tools/testrun"
)

// The worker is the process in which guests are measured. It reads from standard input an opening,
// which says what to compile, and then orders, one a line, which say what to run. It answers each
// with a line on standard output. The answers contain the guest's output, so a guest cannot disturb
// the protocol.

// An opening says what a worker compiles.
type opening struct {
	Path  string `json:"path"`
	Dir   string `json:"dir"`
	Extra extras `json:"extra"`
	Tier  string `json:"tier"`
	Fresh bool   `json:"fresh"` // compile functions even if the cache has their code
	Prove bool   `json:"prove"` // orders prove and run nothing: there is no program
}

// opened is the answer to an opening.
type opened struct {
	Failed string `json:"failed,omitempty"` // why there is no program
}

// A Setup says how the worker compiles packages and what guests are given. The source has neither
// patterns nor Dir yet, and the configuration no arguments.
type Setup struct {
	Source gyr.Source
	Config gyr.Config
}

// Serve is the main function of a worker process.
func Serve(ctx context.Context, s Setup, in io.Reader, out io.Writer) error {
	start := time.Now()
	dec, enc := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	var o opening
	if err := dec.Decode(&o); err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	w := &worker{setup: s, opening: o, start: start}
	var answer opened
	if err := w.open(ctx); err != nil {
		answer.Failed = err.Error()
	}
	if err := enc.Encode(answer); err != nil || answer.Failed != "" {
		return err
	}
	for {
		var o order
		switch err := dec.Decode(&o); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("worker: %w", err)
		}
		before := process.Self().CPU
		r, err := w.run(ctx, &o)
		if err != nil {
			r = &reply{Failed: err.Error()}
		}
		r.CPUNS = float64(process.Self().CPU - before)
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
}

type worker struct {
	setup   Setup
	opening opening
	start   time.Time
	prog    *gyr.Program
	tier    api.Tier
}

// open compiles the package.
func (w *worker) open(ctx context.Context) (err error) {
	w.tier = api.Tier(w.opening.Tier)
	if w.opening.Prove {
		return nil
	}
	defer lean()()
	src := w.source()
	src.Native, src.Recompile = w.tier == api.TierNative, w.opening.Fresh
	w.prog, err = gyr.Compile(ctx, src)
	return err
}

// source is the test binary of the package.
func (w *worker) source() gyr.Source {
	src, o := w.setup.Source, &w.opening
	src.Dir, src.Patterns, src.Test = o.Dir, []string{"."}, true
	if len(o.Extra.Files) > 0 {
		src.Settings.Replace = extraFiles(src.Settings.Replace, o.Dir, o.Extra.Files)
		for _, name := range o.Extra.Measured {
			src.Settings.Measured = append(src.Settings.Measured, filepath.Join(o.Dir, name))
		}
	}
	return src
}

// compilePercent is GOGC while a process compiles. A proof and the first compilation of all take the
// whole standard library, and a limit of the memory below what is alive costs three times the time.
const compilePercent = 50

// lean makes the process collect more often until the result is called. Nothing is timed meanwhile.
func lean() (end func()) {
	old := debug.SetGCPercent(compilePercent)
	return func() { debug.SetGCPercent(old) }
}

// prove compiles the package once more and inspects its loops.
func (w *worker) prove(ctx context.Context, list []*proof.Benchmark) (*reply, error) {
	defer lean()()
	results, err := proof.Of(ctx, w.source(), list)
	if err != nil {
		return nil, err
	}
	r := &reply{}
	for _, x := range results {
		r.Proofs = append(r.Proofs, proved{x.Func, x.Sub, x.Proof})
	}
	return r, nil
}

// profile runs one instance that is sampled and one that counts.
func (w *worker) profile(ctx context.Context, o *order) (*reply, error) {
	rec := hot.NewRecorder(w.prog, sample.Config{})
	defer rec.Close()
	once := *o
	once.Count = 1
	r, err := w.execute(ctx, &once, rec)
	if err != nil || r.Failed != "" {
		return r, err
	}
	once.Virtual, once.N = true, o.Counted
	if c, err := w.execute(ctx, &once, rec); err != nil || c.Failed != "" {
		return c, err
	}
	r.Profile = rec.Profile(o.N, o.Counted, o.Always...)
	return r, nil
}

// run executes an order in a new instance.
func (w *worker) run(ctx context.Context, o *order) (*reply, error) {
	if o.Prove != nil {
		return w.prove(ctx, o.Prove)
	}
	if o.Profile {
		return w.profile(ctx, o)
	}
	return w.execute(ctx, o, nil)
}

// execute runs an instance. A recorder may watch it.
func (w *worker) execute(ctx context.Context, o *order, rec *hot.Recorder) (*reply, error) {
	cfg, err := testrun.Guest(w.setup.Config, w.opening.Path, w.opening.Dir)
	if err != nil {
		return nil, err
	}
	cfg.Tier, cfg.Realtime, cfg.Args = w.tier, !o.Virtual, testFlags(o)
	// In either tier: blocks make the host look at the time at points that do not depend on the
	// clock.
	cfg.Debug.Blocks = o.Virtual
	if rec != nil {
		hot.Configure(&cfg, o.Virtual)
	}
	t := &timer{prog: w.prog, exact: o.Virtual}
	cfg.Stdout, cfg.Stderr = t, t
	cfg.Observer = &rt.Observer{MemStats: t.memStats, Collect: t.collect, Nanotime: t.nanotime}
	ctx, cancel := context.WithTimeout(ctx, limit(o))
	defer cancel()
	in, err := w.prog.NewInstance(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t.in = in
	if rec != nil {
		rec.On(in, o.Virtual)
		t.rec = rec
	}
	r := &reply{StartNS: float64(time.Since(w.start))}
	err = in.Run(ctx)
	if t.wait != nil {
		t.wait.Close()
	}
	t.flush()
	if t.count != nil {
		r.Counters = t.count.PerOp(o.N)
		t.count.Close()
	}
	r.Batches, r.Said = t.batches, said(t.rest)
	if o.List {
		r.Names = listed(strings.Join(t.rest, "\n"))
	}
	work, code := w.prog.Work()
	r.CompileNS, r.Functions, r.CodeBytes = float64(work.Time), work.Functions, code
	if err != nil {
		r.Failed = failure(err.Error(), t.rest)
	}
	return r, nil
}

// extraFiles adds the files extra, in dir if it is not empty, to the files of -overlay.
func extraFiles(replace map[string]string, dir string, extra map[string]string) map[string]string {
	all := map[string]string{}
	for name, from := range replace {
		all[name] = from
	}
	for name, from := range extra {
		if dir != "" {
			name = filepath.Join(dir, name)
		}
		all[name] = from
	}
	return all
}

// A moment holds the figures at one time.
type moment struct {
	at         int64 // by the guest's clock
	stats      gyr.Stats
	collecting time.Duration
	functions  int
	waited     time.Duration
}

// A part is a stretch with the benchmark's timer on.
type part struct {
	ns, wait            float64
	collecting          float64
	gcs, functions      int
	gas, mallocs, bytes float64
	instructions        float64
}

func (p *part) add(q part) {
	p.ns += q.ns
	p.wait += q.wait
	p.collecting += q.collecting
	p.gcs += q.gcs
	p.functions += q.functions
	p.gas += q.gas
	p.mallocs += q.mallocs
	p.bytes += q.bytes
	p.instructions += q.instructions
}

func (m *moment) to(n *moment) part {
	p := part{
		ns: float64(n.at - m.at), wait: float64(n.waited - m.waited), collecting: float64(n.collecting - m.collecting),
		gcs: int(n.stats.Collections - m.stats.Collections), functions: n.functions - m.functions,
		gas:     float64(n.stats.Gas - m.stats.Gas),
		mallocs: float64(n.stats.Mallocs - m.stats.Mallocs), bytes: float64(n.stats.AllocBytes - m.stats.AllocBytes),
		instructions: float64(n.stats.Instructions) - float64(m.stats.Instructions),
	}
	// The thread's waiting is read a little before and a little after the time. A wait much longer
	// than the stretch was not within it.
	if p.wait > 2*p.ns {
		p.wait = 0
	}
	p.wait = min(p.wait, p.ns)
	return p
}

// instructionUnits name the instructions of a tier.
var instructionUnits = map[string]string{"native": "instructions", "interp": "ops"}

// maxParts is how many of the first parts of a run are kept apart; see timer.batch.
const maxParts = 64

// A timer follows the timers of a guest's benchmarks from outside. It sees package testing's calls
// to its runtime: a collection before each run, and a reading of the memory figures when a timer
// starts or stops. The guest reads its clock behind the figures when a timer starts, and before them
// when it stops. So the time of a batch and its exact figures are known to the last digit, where
// package testing prints four, and the guest runs unchanged. The timer also reads the guest's
// output.
type timer struct {
	in    *gyr.Instance
	prog  *gyr.Program
	exact bool
	rec   *hot.Recorder    // nil: no profile
	count *sample.Counting // hardware counters, while profiling
	wait  *process.ThreadWait

	on    bool
	since moment
	clock int64  // the last reading
	parts []part // the first ones of the run
	more  part   // sum of all later parts

	line    []byte
	rest    []string
	batches []named
}

func (t *timer) now() (m moment) {
	m.stats, m.collecting = t.in.StatsWithin()
	w, _ := t.prog.Work()
	m.functions = w.Functions
	if t.wait != nil {
		m.waited = t.wait.Total()
	}
	return m
}

// collect is called when the guest asks for a collection.
func (t *timer) collect() {
	if t.wait == nil {
		// An interruptible guest has a goroutine of its own; this is that goroutine.
		runtime.LockOSThread()
		t.wait = process.NewThreadWait()
		if t.rec != nil && !t.exact {
			t.count = sample.CountThread()
		}
	}
	if t.caller() == "testing.(*B).runN" {
		t.on, t.parts, t.more = false, t.parts[:0], part{}
		if t.rec != nil {
			t.rec.Stop()
			t.rec.Discard()
		}
	}
}

// nanotime is called with what the guest reads from its clock.
func (t *timer) nanotime(ns int64) {
	if t.on && t.since.at == 0 {
		t.since.at = ns
	}
	t.clock = ns
}

// memStats is called when the guest asks for the figures of its memory.
func (t *timer) memStats() {
	switch caller := t.caller(); {
	case caller == "testing.(*B).StartTimer", caller == "testing.(*B).ResetTimer":
		if t.on { // a reset
			t.parts, t.more = t.parts[:0], part{}
			if t.rec != nil {
				t.rec.Stop()
				t.rec.Discard()
			}
		}
		t.on, t.since = true, t.now()
		if t.rec != nil {
			t.rec.Start()
			t.count.Start() // fails if a counter is not available
		}
	case caller == "testing.(*B).StopTimer" && t.on:
		if t.rec != nil {
			t.count.Stop()
			t.rec.Stop()
		}
		now := t.now()
		now.at = t.clock
		p := t.since.to(&now)
		t.on = false
		if len(t.parts) < maxParts {
			t.parts = append(t.parts, p)
		} else {
			t.more.add(p)
		}
	}
}

// caller is the function that called the runtime function which calls the host. It need not be
// package testing's: a benchmark may ask for a collection itself.
func (t *timer) caller() string {
	for _, f := range t.in.CallersWithin(4) {
		if !strings.HasPrefix(f.Func, "runtime.") {
			return f.Func
		}
	}
	return ""
}

// Write takes the guest's output.
func (t *timer) Write(p []byte) (int, error) {
	for _, c := range p {
		if c != '\n' {
			t.line = append(t.line, c)
			continue
		}
		t.flush()
	}
	return len(p), nil
}

// flush ends a line.
func (t *timer) flush() {
	if len(t.line) == 0 {
		return
	}
	text := strings.TrimRight(string(t.line), "\r")
	t.line = t.line[:0]
	r := parseLine(text)
	if r == nil {
		t.rest = append(t.rest, text)
		return
	}
	x := resultLine{BenchResult: *r}
	printed, ok := x.ns()
	if !ok {
		t.rest = append(t.rest, text)
		return
	}
	b := named{Name: r.Name}
	b.N, b.NS, b.Metrics = r.N, printed, x.metrics()
	if p, ok := t.batch(printed); ok {
		gas := p.gas
		if len(t.parts) > 1 || r.N == 1 {
			// Each part includes the reading of the memory figures around a reading of the clock.
			// The guest's own clock, which counts gas, does not include it. It prints the time of
			// one iteration to the last digit.
			p.gas = printed
		}
		b.Batch = record.Batch{N: r.N, NS: printed, Gas: gas, Compiled: p.functions, GCs: p.gcs, GCNS: p.collecting, Metrics: x.metrics()}
		if !t.exact {
			b.NS, b.WaitNS = p.ns, p.wait
		} else {
			b.Exact = map[string]float64{"gas": p.gas, "allocs": p.mallocs, "B": p.bytes}
			if p.instructions > 0 {
				b.Exact[instructionUnits[t.in.Tier()]] = p.instructions
			}
		}
	}
	t.batches = append(t.batches, b)
}

// batch returns the sum of the parts that count for the printed time. These are all parts, unless
// the benchmark has reset its timer while it was off, which the host does not see. Then the parts
// after the reset count, and the printed time tells which they are.
func (t *timer) batch(printed float64) (sum part, ok bool) {
	best := -1
	off := printed
	for from := range t.parts {
		p := t.more
		for _, q := range t.parts[from:] {
			p.add(q)
		}
		ns := p.ns
		if t.exact {
			ns = p.gas // the virtual clock's
		}
		if d := abs(ns - printed); best < 0 || d < off/2 {
			best, off, sum = from, d, p
		}
	}
	return sum, best >= 0
}

func abs(x float64) float64 { return max(x, -x) }
