// Package bench is `gyr bench`: it measures benchmarks of Go packages in native Go and in gyr, and
// writes what it finds to a record (package record). Package result estimates and compares from the
// record; packages show and page print the report.
//
// # A run
//
// [Run] (run.go) compiles every package in every engine, lists the benchmarks and runs each once.
// It puts cells that are compared into blocks and counts the comparisons, which decides the number
// of visits (plan.go). Then it measures one block after the other: iterations of a batch and exact
// figures (calibrate.go), and visits in turns. A benchmark with a setup within its time has batches of
// two sizes, by which package result takes it off. [List] and [Vet] stop before the first measurement.
// docs/bench.md tells the method.
//
// # Engines
//
// The interfaces between a run and an engine are in session.go. native.go runs test binaries of the
// go command and reads their output (output.go); hooks.go makes their timers report more than
// package testing prints. gyr.go runs guests in worker processes, and worker.go is the worker. With
// -against, revision.go maps packages to another revision's tree.
//
// # Around it
//
// source.go reads what a package's sources declare and adds generated files. prove.go proves what
// the compilers left of the loops: a worker those of gyr, package gcproof those of gc. trial.go runs
// benchmarks with calls put in that watch for ignored errors and inputs made anew. gate.go finds
// regressions between two records. noise.go measures how little this machine can tell apart.
package bench

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/measure"
)

// Options say what a run measures and how.
type Options struct {
	Packages []Package
	Bench    string                 // which benchmarks: a regular expression as for go test -bench
	Want     func(name string) bool // selects among those by the function's name; nil: all
	Engines  []Engine
	Plan     record.Plan
	Group    string // which benchmarks are compared with each other: declared, parent or package

	Fixed bool // exactly the plan's visits, even where comparisons need more

	Log      *record.Log
	Progress func(Progress)    // nil: no progress
	Say      func(text string) // tells the user something during the run; nil: nothing
	LockFile string            // of the machine; empty: measure.LockFile
	NoCount  bool              // no exact figures
	NoProof  bool              // no proofs of what the compiler left, and no trials
	Profile  bool              // separate runs that show where the time goes
	NoVisits bool              // time nothing: for profiles alone
	Files    string            // a directory for generated files, which stays; empty: a temporary one
	Tags     []string          // build tags
}

// A Package is a package whose benchmarks are measured.
type Package struct {
	Path string
	Dir  string // absolute
}

// An Engine is a column of the table.
type Engine struct {
	Label string
	Go    *GoEngine
	Gyr   *GyrEngine
	// Moved maps a file of the working tree to its place in the revision whose sources the engine
	// compiles; nil: the same place.
	Moved func(file string) string
}

// Progress says how far a run is.
type Progress struct {
	Done, Total int           // visits
	Left        time.Duration // 0: unknown
	What        string
}

// A runner is one run.
type runner struct {
	*Options
	engines []engine
	pkgs    []*pkg
	blocks  []*block
	broken  map[[2]string]string // why a test binary is missing, by package and engine
	start   time.Time            // of the first block
	done    int
	total   int
	order   int
	failed  int
	tmp     string // removed at the end
	waited  bool   // said so
}

// A cell is a benchmark in an engine.
type cell struct {
	record.Cell
	bench  *record.Bench
	engine engine
	pkg    *pkg
	n      int
	larger int // iterations of its larger batches; 0: it has none
	failed string
	bad    int // failed visits in a row
	said   string
	first  float64            // ns of an iteration in the smoke run
	fixed  map[string]float64 // as record.Calibration.Fixed
}

// A block is a set of cells that are compared, so their visits take turns.
type block struct {
	name  string
	cells []*cell
}

// Run measures and writes its results to o.Log. The error is about the whole run: no benchmarks
// were found, or ctx ended. A failed benchmark is noted in the log.
func Run(ctx context.Context, o Options) error {
	r := newRunner(&o)
	defer r.cleanup()
	if err := r.look(ctx, true); err != nil {
		return err
	}
	r.plan()
	for _, b := range r.blocks {
		if err := r.measure(ctx, b); err != nil {
			return err
		}
	}
	return o.Log.Write(&record.End{Time: time.Now(), Failed: r.failed})
}

func newRunner(o *Options) *runner {
	return &runner{Options: o, broken: map[[2]string]string{}}
}

// look does everything up to the first measurement.
func (r *runner) look(ctx context.Context, prove bool) error {
	if err := r.prepare(ctx); err != nil {
		return err
	}
	if err := r.find(ctx); err != nil || !prove {
		return err
	}
	for _, p := range r.pkgs {
		if err := r.prove(ctx, p); err != nil {
			return err
		}
		if err := r.try(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) say(format string, args ...any) {
	if r.Say != nil {
		r.Say(fmt.Sprintf(format, args...))
	}
}

// alone calls f while nobody else on this machine measures. One turn of all compared cells is taken
// at a time, so that others get theirs in between. It says once that it waits, and for whom.
func (r *runner) alone(ctx context.Context, f func() error) error {
	file := r.LockFile
	if file == "" {
		file = measure.LockFile()
	}
	l, err := measure.TryLock(file)
	if l == nil && err == nil {
		if !r.waited {
			r.waited = true
			r.say("waiting for %s to end a measurement on this machine (%s)", measure.Holder(file), file)
		}
		l, err = measure.AcquireLock(ctx, file)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		return f()
	}
	if err != nil {
		return err
	}
	defer l.Release()
	return f()
}

// cleanup removes the engines' files.
func (r *runner) cleanup() {
	if r.tmp != "" {
		os.RemoveAll(r.tmp)
	}
	for _, e := range r.engines {
		if c, ok := e.(io.Closer); ok {
			c.Close()
		}
	}
}

// prepare compiles every package in every engine.
func (r *runner) prepare(ctx context.Context) error {
	if r.Files == "" {
		dir, err := os.MkdirTemp("", "gyr-bench")
		if err != nil {
			return err
		}
		r.Files, r.tmp = dir, dir
	}
	for i := range r.Engines {
		e, err := r.Engines[i].open(func(p *pkg) error { return p.read(r.Files, r.Tags, r.Plan.LiveBytes) })
		if err != nil {
			return err
		}
		r.engines = append(r.engines, e)
	}
	for _, x := range r.Packages {
		p := &pkg{Path: x.Path, Dir: x.Dir}
		if err := p.read(r.Files, r.Tags, r.Plan.LiveBytes); err != nil {
			return err
		}
		r.pkgs = append(r.pkgs, p)
	}
	for _, p := range r.pkgs {
		for _, e := range r.engines {
			r.progress("building " + p.Path + " for " + e.Label())
			err := e.Build(ctx, p)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				r.broken[[2]string{p.Path, e.Label()}] = err.Error()
				r.say("%s in %s: %v", p.Path, e.Label(), err)
			}
		}
	}
	return nil
}

// find lists the benchmarks and runs each once in every engine.
func (r *runner) find(ctx context.Context) error {
	split := strings.Split(r.Bench, "/")
	top, err := regexp.Compile(split[0])
	if err != nil {
		return fmt.Errorf("-bench: %w", err)
	}
	matched, any := 0, false
	for _, p := range r.pkgs {
		names, err := r.list(ctx, p)
		if err != nil {
			return err
		}
		for _, name := range names {
			if !top.MatchString("Benchmark"+name) || r.Want != nil && !r.Want("Benchmark"+name) {
				continue
			}
			matched++
			pattern := strings.Join(append([]string{"^Benchmark" + regexp.QuoteMeta(name) + "$"}, split[1:]...), "/")
			n, err := r.smoke(ctx, p, name, pattern)
			if err != nil {
				return err
			}
			any = any || n > 0
		}
		if err := r.vet(p); err != nil {
			return err
		}
	}
	switch {
	case any:
		return nil
	case len(r.broken) == len(r.pkgs)*len(r.engines):
		return errors.New("no package could be built")
	case matched > 0:
		return fmt.Errorf("no benchmark of %s matches -bench %s: %d match its first part, and have no such sub-benchmark or skip themselves", r.where(), r.Bench, matched)
	}
	return fmt.Errorf("no benchmark of %s matches -bench %s", r.where(), r.Bench)
}

// where names the packages.
func (r *runner) where() string {
	if len(r.pkgs) == 1 {
		return r.pkgs[0].Path
	}
	return fmt.Sprintf("%d packages", len(r.pkgs))
}

// list returns the names of a package's benchmarks, in the first engine that has it.
func (r *runner) list(ctx context.Context, p *pkg) (names []string, err error) {
	for _, e := range r.engines {
		if r.broken[[2]string{p.Path, e.Label()}] != "" {
			continue
		}
		s, err := e.Open(ctx, p)
		if err == nil {
			var rep *reply
			rep, err = s.Run(ctx, &order{List: true})
			s.Close()
			if err == nil && rep.Failed == "" {
				return rep.Names, nil
			}
			if err == nil {
				err = errors.New(rep.Failed)
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.broken[[2]string{p.Path, e.Label()}] = err.Error()
		r.say("%s in %s: %v", p.Path, e.Label(), err)
	}
	return nil, nil
}

// smoke runs a benchmark of the package once in every engine. It finds out which sub-benchmarks it
// has, whether they run to their end, and what they print. It returns their number.
func (r *runner) smoke(ctx context.Context, p *pkg, name, pattern string) (int, error) {
	var leaves []string
	replies := make([]*reply, len(r.engines))
	for i, e := range r.engines {
		replies[i] = &reply{Failed: r.broken[[2]string{p.Path, e.Label()}]}
		if replies[i].Failed != "" {
			continue
		}
		r.progress("trying " + name + " in " + e.Label())
		s, err := e.Open(ctx, p)
		if err == nil {
			var rep *reply
			if rep, err = s.Run(ctx, &order{Bench: pattern, N: 1, Count: 1}); err == nil {
				replies[i] = rep
			}
			s.Close()
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if err != nil {
			replies[i].Failed = err.Error()
		}
		for _, b := range replies[i].Batches {
			if !slices.Contains(leaves, b.Name) {
				leaves = append(leaves, b.Name)
			}
		}
	}
	if len(leaves) == 0 {
		for i, rep := range replies {
			if rep.Failed != "" {
				leaves = []string{name} // it failed before it printed anything
				r.say("%s in %s: %s", name, r.engines[i].Label(), rep.Failed)
			}
		}
	}
	for _, leaf := range leaves {
		b := r.declare(p, leaf)
		if err := r.Log.Write(b); err != nil {
			return 0, err
		}
		for i, e := range r.engines {
			c := &cell{Cell: record.Cell{Bench: b.Key, Engine: e.Label()}, bench: b, engine: e, pkg: p, said: replies[i].Said}
			at := slices.IndexFunc(replies[i].Batches, func(x named) bool { return x.Name == leaf })
			switch {
			case at >= 0:
				c.first = replies[i].Batches[at].NS
			case replies[i].Failed != "":
				c.failed = replies[i].Failed
			default:
				c.failed = "there is no such benchmark in this engine"
			}
			if err := r.enter(c); err != nil {
				return 0, err
			}
		}
	}
	return len(leaves), nil
}

// params are the parts of a name that hold a value: n=8.
func params(name string) (list []record.Param) {
	for _, part := range strings.Split(name, "/")[1:] {
		if k, v, ok := strings.Cut(part, "="); ok {
			list = append(list, record.Param{Name: k, Value: v})
		}
	}
	return list
}

// declare describes a benchmark.
func (r *runner) declare(p *pkg, name string) *record.Bench {
	if b := p.sources.declared[name]; b != nil {
		return b
	}
	top, _, sub := strings.Cut(name, "/")
	b := &record.Bench{Key: p.Path + "." + name, Package: p.Path, Name: name, Func: "Benchmark" + top, Params: params(name), Hints: p.sources.hints[p.Path+"."+top]}
	switch {
	case r.Group == "package":
		b.Group = p.Path
	case r.Group == "parent" && sub:
		b.Group = p.Path + "." + top
	}
	return b
}

// enter puts a cell into the block of the cells that it is compared with.
func (r *runner) enter(c *cell) error {
	if c.failed != "" {
		r.failed++
		return r.Log.Write(&record.Visit{Cell: c.Cell, Failed: c.failed})
	}
	name := c.bench.Group
	if name == "" {
		name = c.bench.Key
	}
	i := slices.IndexFunc(r.blocks, func(b *block) bool { return b.name == name })
	if i < 0 {
		i = len(r.blocks)
		r.blocks = append(r.blocks, &block{name: name})
	}
	r.blocks[i].cells = append(r.blocks[i].cells, c)
	return nil
}

// plan counts the comparisons of the report, and the visits that they need.
func (r *runner) plan() {
	comparisons := 0
	for _, b := range r.blocks {
		rows := len(b.cells) / max(1, len(r.engines))
		comparisons += rows * (len(r.engines) - 1)            // with the yardstick
		comparisons += rows * (rows - 1) / 2 * len(r.engines) // with each other
	}
	if n := visitsFor(comparisons); r.Plan.Mode != "quick" && !r.Fixed && n > r.Plan.Visits {
		r.say("%d comparisons need %d visits of each cell, not %d", comparisons, n, r.Plan.Visits)
		r.Plan.Visits = n
	}
	for _, b := range r.blocks {
		r.total += len(b.cells) * r.Plan.Visits
	}
	r.start = time.Now()
	if left := r.left(); left >= tellLeft && !r.NoVisits {
		r.say("%d visits of benchmarks take about %v", r.total, left.Round(time.Second))
	}
}

// tellLeft is the length of a run from which on it is told before the run begins.
const tellLeft = 30 * time.Second

// left is how long the visits that are left will take: as long as those before, or, before the
// first, as long as their batches are planned to be.
func (r *runner) left() time.Duration {
	each := float64(warmBatches+r.Plan.Batches) * float64(r.Plan.BatchNS)
	if r.done > 0 {
		each = float64(time.Since(r.start)) / float64(r.done)
	}
	return time.Duration(each * float64(r.total-r.done))
}

func (r *runner) progress(what string) {
	if r.Progress == nil {
		return
	}
	r.Progress(Progress{Done: r.done, Total: r.total, Left: r.left(), What: what})
}

// measure measures a block: the iterations of a batch, exact figures, and visits in turns.
func (r *runner) measure(ctx context.Context, b *block) error {
	for _, c := range b.cells {
		r.progress("calibrating " + c.bench.Name + " in " + c.Engine)
		if err := r.alone(ctx, func() error { return r.calibrate(ctx, c) }); err != nil {
			return err
		}
		if c.failed == "" && !r.NoCount {
			if err := r.count(ctx, c); err != nil {
				return err
			}
		}
	}
	evenOut(b.cells)
	r.addLarger(b.cells)
	if r.Profile {
		for _, c := range b.cells {
			if err := r.alone(ctx, func() error { return r.profile(ctx, c) }); err != nil {
				return err
			}
		}
	}
	if r.NoVisits {
		return nil
	}
	for round := range r.Plan.Visits {
		if err := r.alone(ctx, func() error { return r.turn(ctx, b, round) }); err != nil {
			return err
		}
		if round+1 >= result.Fewest && r.precise(b) {
			r.done += len(b.cells) * (r.Plan.Visits - round - 1)
			break
		}
	}
	return nil
}

// turn visits the cells of a block once, in the order of the round.
func (r *runner) turn(ctx context.Context, b *block, round int) error {
	for _, i := range orderOf(len(b.cells), round, r.Plan.Seed) {
		c := b.cells[i]
		r.done++
		if c.failed != "" || r.visited(c, round) {
			continue
		}
		r.progress(c.bench.Name + " in " + c.Engine)
		if err := r.visit(ctx, c, round); err != nil {
			return err
		}
	}
	return nil
}

// profileBatches is the length of a profile in batches: half a second, enough for two thousand
// samples.
const profileBatches = 25

// profile takes the profile of a cell.
func (r *runner) profile(ctx context.Context, c *cell) error {
	if c.failed != "" || slices.ContainsFunc(r.Log.Record().Profiles, func(p *record.Profile) bool { return p.Cell == c.Cell }) {
		return nil
	}
	r.progress("profiling " + c.bench.Name + " in " + c.Engine)
	o := &order{Bench: pattern(c.bench.Name), N: min(profileBatches*c.n, maxIterations), Count: 1, Profile: true, Counted: maxCount, Seconds: maxVisit}
	if x := r.countOf(c.Cell); x != nil && x.N > 0 {
		o.Counted = x.N
	}
	for _, p := range r.Log.Record().Proofs {
		if p.Bench == c.Bench && p.Unknown == "" {
			o.Always = append(o.Always, p.Func)
		}
	}
	rep, err := r.once(ctx, c, o)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p := &record.Profile{}
	switch {
	case err != nil:
		p.Failed = err.Error()
	case rep.Failed != "":
		p.Failed = rep.Failed
	case rep.Profile == nil:
		return nil // the engine has no profile
	default:
		p = rep.Profile
	}
	p.Cell = c.Cell
	if rep != nil && len(rep.Counters) > 0 {
		if err := r.Log.Write(&record.Counters{Cell: c.Cell, N: o.N, PerOp: rep.Counters}); err != nil {
			return err
		}
	}
	return r.Log.Write(p)
}

// countOf is the line with the exact figures of a cell; nil: none.
func (r *runner) countOf(at record.Cell) *record.Count {
	for _, x := range r.Log.Record().Counts {
		if x.Cell == at {
			return x
		}
	}
	return nil
}

// visited reports whether the log already has this visit, from an earlier part of the run.
func (r *runner) visited(c *cell, round int) bool {
	return slices.ContainsFunc(r.Log.Record().Visits, func(v *record.Visit) bool {
		return v.Cell == c.Cell && v.Visit == round && v.Failed == ""
	})
}

// precise reports whether the cells of a block are known as precisely as the plan asks. It looks at
// widths alone, never at the outcome of a comparison, so that stopping early favours no verdict.
func (r *runner) precise(b *block) bool {
	if r.Plan.Precision <= 0 {
		return false
	}
	for _, c := range b.cells {
		if c.failed != "" {
			continue
		}
		var medians []float64
		for _, v := range r.Log.Record().Visits {
			switch {
			case v.Cell != c.Cell || len(v.Batches) == 0:
			case c.larger > 0:
				medians = append(medians, measure.Median(v.Slopes()))
			default:
				medians = append(medians, measure.Median(v.PerOp()))
			}
		}
		lo, mid, hi := measure.MedianInterval(medians, result.Level)
		if !(hi-lo <= r.Plan.Precision*mid) {
			return false
		}
	}
	return true
}

// visit takes one visit of a cell. If it has batches of two sizes, each size has a process of its own,
// and the sizes take turns at being first.
func (r *runner) visit(ctx context.Context, c *cell, round int) error {
	v := &record.Visit{Cell: c.Cell, Visit: round, Order: r.order, CanaryNS: canary(), Load: measure.Load()}
	r.order++
	sizes := []int{c.n}
	if c.larger > 0 {
		sizes = append(sizes, c.larger)
		if round%2 == 1 {
			slices.Reverse(sizes)
		}
	}
	for _, n := range sizes {
		if err := r.batches(ctx, c, n, v); err != nil {
			return err
		}
	}
	if v.Failed != "" {
		v.Warm, v.Batches, v.Larger = nil, nil, nil
		c.bad++
		if c.bad >= maxBad {
			c.failed = v.Failed
			r.failed++
		}
	} else {
		c.bad = 0
	}
	return r.Log.Write(v)
}

// batches takes a visit's batches of n iterations.
func (r *runner) batches(ctx context.Context, c *cell, n int, v *record.Visit) error {
	rep, err := r.once(ctx, c, &order{Bench: pattern(c.bench.Name), N: n, Count: warmBatches + r.Plan.Batches, Seconds: maxVisit})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var list []record.Batch
	if err == nil {
		v.PeakBytes = max(v.PeakBytes, rep.PeakBytes)
		if n == c.n {
			v.StartNS = rep.StartNS
		}
		for _, b := range rep.Batches {
			if b.Name == c.bench.Name {
				b.withoutFixed(c.fixed)
				list = append(list, b.Batch)
			}
		}
		if rep.Failed != "" {
			err = errors.New(rep.Failed)
		}
	}
	switch {
	case err != nil:
		v.Failed = err.Error()
	case len(list) <= warmBatches:
		v.Failed = fmt.Sprintf("%d of %d batches", len(list), warmBatches+r.Plan.Batches)
	}
	if v.Failed != "" {
		return nil
	}
	warm := warmBatches
	for warm < len(list)/2 && list[warm].Compiled > 0 {
		warm++
	}
	if n == c.n {
		v.Warm, v.Batches = list[:warm], list[warm:]
	} else {
		v.Larger = list[warm:]
	}
	return nil
}

// maxBad is how many visits of a cell may fail in a row before it is given up.
const maxBad = 2

// maxVisit limits a visit, in seconds.
const maxVisit = 600

// once opens a session for one order.
func (r *runner) once(ctx context.Context, c *cell, o *order) (*reply, error) {
	s, err := c.engine.Open(ctx, c.pkg)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Run(ctx, o)
}

// hash is a short name of a text.
func hash(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s)))[:16] }

// canary does a fixed piece of work and returns its time, about a millisecond. It tells a slow
// machine from a slow program.
func canary() float64 {
	start := time.Now()
	x := uint64(start.Nanosecond()) | 1
	for range canaryRounds {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	took := time.Since(start)
	if x == 0 { // it never is
		fmt.Fprint(os.Stderr)
	}
	return float64(took)
}

const canaryRounds = 500_000

// String is a line of progress: a bar, how much is done and how long the rest will take.
func (p Progress) String() string {
	if p.Total == 0 {
		return p.What
	}
	const width = 20
	n := width * p.Done / p.Total
	bar := strings.Repeat("#", n) + strings.Repeat(".", width-n)
	left := ""
	if p.Left > 0 {
		left = fmt.Sprintf(", %v left", p.Left.Round(time.Second))
	}
	return fmt.Sprintf("[%s] %d %%%s, %s", bar, 100*p.Done/p.Total, left, p.What)
}

// List finds the benchmarks that a run would measure, and measures nothing. It runs a benchmark
// once to find its sub-benchmarks.
func List(ctx context.Context, o Options) ([]*record.Bench, error) {
	log, err := record.NewLog(nil, &record.Run{})
	if err != nil {
		return nil, err
	}
	o.Log = log
	r := newRunner(&o)
	defer r.cleanup()
	err = r.look(ctx, false)
	return log.Record().Benches, err
}

// Vet writes to o.Log what is wrong with benchmarks, judging by their sources and by the code that
// the compiler leaves of their loops. It runs each benchmark once and measures none.
func Vet(ctx context.Context, o Options) error {
	r := newRunner(&o)
	defer r.cleanup()
	return r.look(ctx, true)
}
