package testrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
)

// Run runs the tests of the packages that o names and prints their output and verdicts. An error
// means that the packages could not be found. A failure in a package is printed and counted in the
// summary. When ctx ends, everything that runs is ended, and known results are printed.
func Run(ctx context.Context, o Options) (Summary, error) {
	var list []load.Listed
	var unmatched []string
	cfg := load.Options{Dir: o.Dir, Patterns: o.Patterns, Tags: o.Source.Tags, Settings: o.Source.Settings,
		GOROOT: o.Source.GOROOT, FS: o.Source.FS}
	if o.Revision != nil {
		cfg.Moved = o.Revision.Moved
	}
	if len(o.Patterns) > 0 || len(o.Filetests) == 0 {
		var err error
		if list, unmatched, err = o.list(ctx, cfg); err != nil {
			return Summary{}, err
		}
	}
	for _, p := range unmatched {
		fmt.Fprintf(o.Stderr, "gyr: warning: %q matched no packages\n", p)
	}
	if len(list) == 0 && len(o.Filetests) == 0 {
		return Summary{}, fmt.Errorf("no packages to test")
	}
	list = o.Shard.of(list)
	if o.Profile != nil && len(list)+len(o.Filetests) != 1 {
		return Summary{}, ErrProfiles
	}
	if o.Fuzz && len(list)+len(o.Filetests) != 1 {
		return Summary{}, ErrFuzz
	}
	r := &runner{o: &o, memory: openMemory(&o), start: time.Now()}
	for i := range list {
		r.list = append(r.list, &job{runner: r, o: r.o, Listed: list[i], index: i, seen: map[string]bool{},
			done: make(chan struct{})})
	}
	if err := r.collect(); err != nil {
		return Summary{}, err
	}
	r.firstBad.Store(int64(len(r.list)))
	if o.Cover != nil {
		if err := r.findCovered(ctx, cfg); err != nil {
			return Summary{}, err
		}
	}
	sum := r.run(ctx)
	r.stats.trouble(r.base.save())
	sum.CacheNote = r.stats.note
	if err := r.base.err; err != nil && ctx.Err() == nil {
		fmt.Fprintf(o.Stderr,
			"gyr: warning: every program was compiled with its own standard library: a shared one could not be made: %v\n", err)
	}
	return sum, nil
}

// List finds the packages that patterns name in a directory. The programs are compiled from sources
// like src.
func List(ctx context.Context, dir string, patterns []string, src engine.Source) (list []load.Listed, unmatched []string, err error) {
	o := Options{Dir: dir, Patterns: patterns, Source: src}
	return o.list(ctx, load.Options{Dir: dir, Patterns: patterns, Tags: src.Tags, Settings: src.Settings, GOROOT: src.GOROOT})
}

// list is load.List. It tests packages of the standard library with the sources of a Go
// installation.
func (o *Options) list(ctx context.Context, cfg load.Options) (list []load.Listed, unmatched []string, err error) {
	cfg.Std = o.Source.Base.Std()
	list, unmatched, err = load.List(ctx, cfg)
	if need := (*load.SourcesError)(nil); errors.As(err, &need) {
		if err := o.Source.Base.WithoutStd(need.What); err != nil {
			return nil, nil, err
		}
		cfg.Std = nil
		return load.List(ctx, cfg)
	}
	return list, unmatched, err
}

// ErrProfiles says that only one package can be profiled.
var ErrProfiles = errors.New("profiles are of one package: name one")

// A runner is one run over a list of packages.
type runner struct {
	o       *Options
	memory  *memory
	list    []*job
	start   time.Time
	covered *covered // nil: each package is covered by its own tests

	// firstBad is the index of the first package that is known to have failed. With FailFast, no
	// later package counts.
	firstBad atomic.Int64

	files filePool
	stats counters
	base  sharedBase
	vets  sharedVetter

	asking   sync.Mutex // while Options.Grant is called
	mu       sync.Mutex
	finished int
	failed   int
}

// A verdict is the outcome of a package.
type verdict uint8

const (
	passed   verdict = iota
	failed           // tests failed, or the binary ended early
	broken           // not built, not found
	noTests          // it has none
	notTried         // the run was over before
)

// A job is the test of one package.
type job struct {
	load.Listed
	*runner
	o          *Options // the runner's, with what the package is granted besides
	index      int
	files      []string // paths of its filetests
	out        spool
	err        spool
	verdict    verdict
	used       PackageReport
	seen       map[string]bool // files of the host that it asked for
	refused    refusals
	rounds     int    // see again
	covers     string // the text about its coverage
	profileErr error
	profile    []byte // of coverage
	running    atomic.Bool
	cancel     context.CancelFunc
	done       chan struct{}
}

// run does the jobs and prints their output, in their order.
func (r *runner) run(ctx context.Context) (sum Summary) {
	jobs := r.o.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	sum.Report = newReport()
	order := r.list
	if !r.o.FailFast { // output after the first failure is not wanted
		order = r.memory.order(r.list)
	}
	var next atomic.Int64
	for range min(jobs, r.files.begin(r.list)) {
		go func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(r.list) {
					break
				}
				order[i].run(ctx)
				r.files.packageDone()
			}
			r.files.help()
		}()
	}
	for _, j := range r.list {
		if r.o.FailFast && int64(j.index) > r.firstBad.Load() {
			<-j.done
			j.out.close()
			j.err.close()
			continue
		}
		j.err.open(r.o.Stderr)
		j.out.open(r.o.Stdout)
		<-j.done
		sum.Err = cmp.Or(sum.Err, j.profileErr)
		if r.o.Cover != nil && r.o.Cover.Profile != nil && sum.Err == nil {
			_, sum.Err = r.o.Cover.Profile.Write(j.profile)
		}
		if j.verdict == passed || j.verdict == failed {
			j.used.Package = j.Path
			if j.used.Tests == nil {
				j.used.Tests = []TestReport{}
			}
			sum.Report.Packages = append(sum.Report.Packages, j.used)
		}
		switch j.verdict {
		case passed:
			sum.Packages++
			sum.Passed++
		case failed:
			sum.Packages++
			sum.Failed++
		case broken:
			sum.Broken++
		}
	}
	r.vets.close(&r.stats)
	sum.Stats = r.stats.Stats
	return sum
}

// run does one job, on a worker's goroutine.
func (j *job) run(ctx context.Context) {
	defer close(j.done)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	j.mu.Lock()
	over := j.o.FailFast && int64(j.index) > j.firstBad.Load() || ctx.Err() != nil
	j.cancel = cancel
	j.mu.Unlock()
	if over {
		j.verdict = notTried
		return
	}
	j.running.Store(true)
	j.progress()
	j.verdict = j.test(ctx)
	j.running.Store(false)

	j.mu.Lock()
	j.finished++
	if j.verdict == failed || j.verdict == broken {
		j.failed++
		if int64(j.index) < j.firstBad.Load() {
			j.firstBad.Store(int64(j.index))
			if j.o.FailFast {
				for _, k := range j.list[j.index+1:] {
					if k.cancel != nil {
						k.cancel()
					}
				}
			}
		}
	}
	j.mu.Unlock()
	j.progress()
}

// progress reports how far the run is.
func (r *runner) progress() {
	if r.o.Progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := Progress{Total: len(r.list), Done: r.finished, Failed: r.failed, Elapsed: time.Since(r.start)}
	for _, j := range r.list {
		if j.running.Load() {
			p.Running = append(p.Running, j.Path)
		}
	}
	r.o.Progress(p)
}
