package research

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/queue"
	"github.com/gyrvm/gyr/internal/lab/research/risk"
	"github.com/gyrvm/gyr/internal/tools/process"
)

// Options are the options of a session.
type Options struct {
	Dir        string  // a directory in the repository
	Config     *Config // nil: read only; Name names the session
	Name       string
	Out        io.Writer // gets a line for each event
	NewSegment bool      // begin anew, with the present evaluator and base
	Version    string    // of this program, for the log

	Determinism int         // its determinism version
	Queue       queue.Queue // to workers, which check and measure candidates; nil: this machine does; the caller closes it
}

// A Session is one series of candidates on one base. One process holds it at a time, and its
// methods are for one goroutine.
type Session struct {
	config    *Config
	repo      *gitx.Repo
	runner    *runner
	log       *ledger.Log
	lock      *measure.Lock
	out       io.Writer
	version   string
	dir       string // of the log, in the git directory
	work      string // of worktrees and binaries
	segment   *ledger.Config
	evaluator *evaluator
	state     *state
	env       *measure.Environment
	metrics   []Metric                     // as in the config; nil: not resolved yet
	linter    *risk.Linter                 // made on first use
	waited    int                          // candidate for which the wait for the lock was last reported
	waiting   time.Duration                // all waiting for the lock
	lockFile  string                       // of the lock for measuring; empty: the machine's
	box       *box                         // around candidates; nil: none
	boxReason string                       // why the box is missing
	warmed    map[string]bool              // checks whose builds are in the cache
	efforts   map[string]map[string]effort // of each program, by what ran
	floors    map[string]*floor            // of benchmarks, by the parent's tree
	profiled  *hotspots                    // of the tip, for proposers
	queue     queue.Queue                  // to workers; nil: none
	given     map[int]*given               // trials that workers have, by run
	ended     map[string]bool              // trials whose results nobody needs any more
	versions  queue.Versions               // that results depend on
	works     bool                         // this session is a worker's, for trials of another one

	parent     *side // the branch's tip
	candidate  *side
	desk       *gitx.Worktree   // of proposers
	desks      []*gitx.Worktree // of concurrent proposers; the first one is desk
	parentTree string           // judged tree of the tip
}

// Errors of sessions.
var (
	ErrBusy   = errors.New("the session is held")
	ErrPaused = errors.New("paused") // by a signal or the STOP file
)

// A BaseError says that the base fails its own battery.
type BaseError struct{ Check, Detail string }

func (e *BaseError) Error() string {
	return fmt.Sprintf("the base fails its own check %s: %s", e.Check, e.Detail)
}

// branchPrefix and runPrefix are the prefixes of a session's refs.
const (
	branchPrefix = "refs/heads/research/"
	runPrefix    = "refs/research/"
)

// Directory is the directory of a session's log.
func Directory(repo *gitx.Repo, session string) string {
	return filepath.Join(repo.Common, "research", session)
}

// LogFile is the log in a session's directory.
func LogFile(repo *gitx.Repo, session string) string {
	return filepath.Join(Directory(repo, session), "log.jsonl")
}

// workDir is the directory of a session's worktrees: outside the repository, at the same place each
// time.
func workDir(repo *gitx.Repo, session string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(repo.Common))
	return filepath.Join(gitx.Clean(cache), "gyr", "research", hex.EncodeToString(sum[:6]), session), nil
}

// Open takes a session's lock and log, begins a segment if there is none, and finishes pending work
// as far as that needs no measuring. The caller closes the session.
func Open(ctx context.Context, o Options) (*Session, error) {
	if err := o.Config.checkSandbox(); err != nil {
		return nil, err
	}
	if err := o.Config.checkWorkers(); o.Queue != nil && err != nil {
		return nil, err
	}
	repo, err := gitx.Open(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	s := &Session{config: o.Config, repo: repo, out: o.Out, version: o.Version, dir: Directory(repo, o.Config.Session),
		queue: o.Queue, given: map[int]*given{}, ended: map[string]bool{}}
	if s.work, err = workDir(repo, o.Config.Session); err != nil {
		return nil, err
	}
	if s.runner, err = newRunner(s.work); err != nil {
		return nil, err
	}
	s.runner.limits = o.Config.Limits
	s.runner.secret = o.Config.Proposer.KeyEnv
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return nil, err
	}
	if s.lock, err = measure.TryLock(filepath.Join(s.dir, "lock")); err != nil {
		return nil, err
	} else if s.lock == nil {
		return nil, fmt.Errorf("session %s: %w: %s", o.Config.Session, ErrBusy, measure.Holder(filepath.Join(s.dir, "lock")))
	}
	// A process with the session's mark while nobody holds its lock was started by a driver that
	// was killed.
	if n := process.KillMarked(s.runner.mark); n > 0 {
		s.printf("killed %d processes that a killed driver left behind", n)
	}
	if err := s.open(ctx, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func newRunner(work string) (*runner, error) {
	keepFiles()
	self, err := os.Executable()
	return &runner{self: self, mark: sessionMark(work), counts: map[string]int{}}, err
}

func (s *Session) open(ctx context.Context, o Options) (err error) {
	mirror := ""
	if s.config.Mirror != "" {
		mirror = filepath.Join(s.repo.Top, s.config.Mirror)
	}
	if s.log, err = ledger.Open(filepath.Join(s.dir, "log.jsonl"), mirror); err != nil {
		return err
	}
	if d := s.log.Damage(); len(d) > 0 && !o.NewSegment {
		return damaged(LogFile(s.repo, s.config.Session), d)
	}
	s.env = measure.CurrentEnvironment(s.repo.Top)
	s.versions = queue.Versions{Gyr: o.Version, Go: s.env.Go, Determinism: o.Determinism}
	if s.state, err = newState(s.log.Lines(), s.env.Fingerprint()); err != nil {
		return err
	}
	if s.segment = s.state.segment; s.segment != nil && !o.NewSegment {
		err = s.checkEvaluator(ctx)
	}
	// A segment without rows, for example one whose base failed, binds nobody.
	if s.segment == nil || o.NewSegment || errors.Is(err, ErrEvaluator) && len(s.state.current) == 0 {
		err = s.newSegment(ctx)
	}
	if err != nil {
		return err
	}
	if err := s.event("start", "", nil); err != nil {
		return err
	}
	if s.state.pendingRow != nil {
		if err := s.settle(ctx, s.state.pendingRow); err != nil {
			return err
		}
	}
	return s.checkRefs(ctx)
}

// Close gives up the lock and removes the worktrees.
func (s *Session) Close() error {
	var errs []error
	if s.log != nil {
		errs = append(errs, s.log.Close())
	}
	for run := range s.given {
		_ = s.withdraw(run) // a queue that has ended has no trials
	}
	ctx := context.Background()
	errs = append(errs, removeWorktrees(ctx, s.repo, s.work), s.lock.Release())
	return errors.Join(errs...)
}

// removeWorktrees removes all worktrees of a session, and the files beside them.
func removeWorktrees(ctx context.Context, repo *gitx.Repo, work string) error {
	names := slices.Clone(sideNames)
	if entries, err := os.ReadDir(work); err == nil {
		for _, e := range entries {
			if _, err := os.Lstat(filepath.Join(work, e.Name(), ".git")); err == nil && !slices.Contains(names, e.Name()) {
				names = append(names, e.Name())
			}
		}
	}
	var errs []error
	for _, name := range names {
		errs = append(errs, repo.RemoveWorktree(ctx, filepath.Join(work, name)))
	}
	return errors.Join(append(errs, os.RemoveAll(work))...)
}

// now and since tell times in the log's unit.
func (s *Session) now() time.Time { return time.Now() }
func (s *Session) since(start time.Time) float64 {
	return float64(time.Since(start).Milliseconds()) / 1000
}
func (s *Session) outDir(run int) string          { return filepath.Join(s.dir, "out", fmt.Sprint(run)) }
func (s *Session) printf(format string, a ...any) { fmt.Fprintf(s.out, format+"\n", a...) }
func (s *Session) branch() string                 { return branchPrefix + s.config.Session }
func (s *Session) runRef(run int) string {
	return fmt.Sprintf("%s%s/%d", runPrefix, s.config.Session, run)
}

// append writes a line and updates the state by it.
func (s *Session) append(v any) error {
	if err := s.log.Append(v); err != nil {
		return err
	}
	lines := s.log.Lines()
	return s.state.add(lines[len(lines)-1], s.env.Fingerprint())
}

func (s *Session) event(name, reason string, data any) error {
	e := &ledger.Event{Event: name, Reason: reason, Timestamp: s.now().UnixMilli()}
	if data != nil {
		text, err := json.Marshal(data)
		if err != nil {
			return err
		}
		e.Data = text
	}
	return s.append(e)
}

func (s *Session) phase(id int, name string, data any) error {
	p := &ledger.Phase{ID: id, Phase: name, Timestamp: s.now().UnixMilli()}
	if data != nil {
		text, err := json.Marshal(data)
		if err != nil {
			return err
		}
		p.Data = text
	}
	return s.append(p)
}

// newSegment writes a config line. The base is the one that the config names, or the branch's tip
// if that contains it.
func (s *Session) newSegment(ctx context.Context) error {
	base, err := s.repo.Resolve(ctx, s.config.Base)
	if err != nil {
		return err
	}
	if s.state.tip != "" && s.config.replay == nil && s.repo.Ancestor(ctx, base, s.state.tip) {
		base = s.state.tip
	}
	e, err := s.newEvaluator(ctx, base)
	if err != nil {
		return err
	}
	old, err := s.repo.Ref(ctx, s.branch())
	if err != nil {
		return err
	}
	if old != s.state.tip && old != base {
		return fmt.Errorf("%s exists already and is none of this session's", s.branch())
	}
	m := s.config.Objective()
	line := &ledger.Config{Name: s.config.Name, MetricName: m.Name, MetricUnit: m.Unit, BestDirection: "lower",
		Tool: "gyr " + s.version, Schema: ledger.Schema,
		Session: s.config.Session, Base: base, Evaluator: e.hash, Hash: configHash(s.config),
		Timestamp: s.now().UnixMilli(), Env: ledgerEnv(s.env)}
	if m.Goal == "max" {
		line.BestDirection = "higher"
	}
	for _, m := range s.config.Metrics {
		x := ledger.Metric{Name: m.Name, Unit: m.Unit, Goal: m.Goal, Of: m.of}
		if m.Guard != nil {
			x.Guard = m.Guard.String()
		}
		line.Metrics = append(line.Metrics, x)
	}
	if err := s.append(line); err != nil {
		return err
	}
	s.segment, s.evaluator = s.state.segment, e
	return s.repo.SetRef(ctx, s.branch(), base, old)
}

// ledgerEnv is an environment in the log's form.
func ledgerEnv(e *measure.Environment) *ledger.Env {
	return &ledger.Env{Go: e.Go, OS: e.OS, Arch: e.Arch, CPU: e.CPU, CPUs: e.CPUs, Kernel: e.Kernel, Load: e.Load, Hash: e.Fingerprint()}
}

// String says what a guard demands.
func (g *Guard) String() string {
	var words []string
	if g.MaxRegression != nil {
		words = append(words, "at most "+g.MaxRegression.String()+" worse")
	}
	if g.Max != nil {
		words = append(words, "at most "+number(*g.Max))
	}
	if g.Min != nil {
		words = append(words, "at least "+number(*g.Min))
	}
	return strings.Join(words, ", ")
}

// checkRefs compares the session's branch with its log. It creates a missing branch, as after a
// kill between the config line and the ref.
func (s *Session) checkRefs(ctx context.Context) error {
	now, err := s.repo.Ref(ctx, s.branch())
	switch {
	case err != nil:
		return err
	case now == s.state.tip:
		return nil
	case now == "" && len(s.state.keeps()) == 0:
		return s.repo.SetRef(ctx, s.branch(), s.state.tip, "")
	case now == "":
		return fmt.Errorf("%s is gone; git update-ref %s %s restores it", s.branch(), s.branch(), s.state.tip)
	}
	return fmt.Errorf("%s: %w: it is at %.7s, the log says %.7s", s.branch(), gitx.ErrMoved, now, s.state.tip)
}

// sideNames are the directories of worktrees: parent, candidate and the proposer's desk. They are
// equally long, so that paths in binaries are too.
var sideNames = []string{"par", "can", "pro"}

// setUp makes the worktrees, and replaces those of a killed process.
func (s *Session) setUp(ctx context.Context) (err error) {
	if s.parent != nil {
		return nil
	}
	if err := os.RemoveAll(s.work); err != nil {
		s.printf("%s: %v", s.work, err)
	}
	if s.parent, err = newSide(ctx, s.repo, s.work, sideNames[0], s.state.tip); err != nil {
		return err
	}
	if s.candidate, err = newSide(ctx, s.repo, s.work, sideNames[1], s.state.tip); err != nil {
		return err
	}
	desk, err := newSide(ctx, s.repo, s.work, sideNames[2], s.state.tip)
	if err != nil {
		return err
	}
	s.desk, s.desks = desk.wt, []*gitx.Worktree{desk.wt}
	return errors.Join(s.openBox(ctx), s.setParent(ctx))
}

// setParent makes the branch's tip the parent of the next candidate.
func (s *Session) setParent(ctx context.Context) (err error) {
	s.parentTree, err = s.judgedTree(ctx, s.state.tip, s.testsOf(s.state.tip))
	return err
}

// judgedTree is a tree in which all files that judge are those of another one.
func (s *Session) judgedTree(ctx context.Context, tree, tests string) (string, error) {
	judged, err := s.repo.Overlay(ctx, tree, tests, s.evaluator.judges)
	if err != nil {
		return "", err
	}
	return s.carryBenchmarks(ctx, judged)
}

// begin checks and calibrates the base of a segment, unless that was done.
func (s *Session) begin(ctx context.Context) error {
	if err := s.setUp(ctx); err != nil {
		return err
	}
	if !s.state.started {
		s.printf("checking the base %.7s", s.segment.Base)
		c := &subject{side: s.candidate, commit: s.segment.Base, tree: s.segment.Base, judged: s.parentTree,
			parentCommit: s.segment.Base, parentTree: s.parentTree}
		done, failed, err := s.baseChecks(ctx, c)
		if err != nil {
			return err
		}
		if failed != "" {
			e := &BaseError{failed, done[len(done)-1].Detail}
			return errors.Join(e, s.event("stop", e.Error(), nil))
		}
		if err := s.event("base", "", map[string]any{"battery": done}); err != nil {
			return err
		}
	}
	if c := s.state.calibration; c == nil || c.Env != s.env.Fingerprint() {
		s.printf("calibrating: the base is measured against itself")
		if err := s.calibrate(ctx); err != nil {
			return err
		}
	}
	s.resolve()
	if s.state.planted == nil {
		if err := s.plant(ctx); err != nil {
			return err
		}
	}
	s.resolve()
	return s.baseline(ctx)
}

// baseline writes the row of the base itself. Readers of the log count from it.
func (s *Session) baseline(ctx context.Context) error {
	for _, r := range s.state.current {
		if r.Verdict == ledger.VerdictBaseline {
			return nil
		}
	}
	tree, err := s.repo.Tree(ctx, s.segment.Base)
	if err != nil {
		return err
	}
	row := &ledger.Row{Run: s.state.next, Commit: s.segment.Base[:7], Status: ledger.Keep,
		Verdict: ledger.VerdictBaseline, Description: "baseline",
		Timestamp: s.now().UnixMilli(), Segment: s.state.segments, Tree: tree, Object: s.segment.Base,
		Idea: ledger.IdeaUnknown, Implementation: ledger.ImplSound}
	s.setMetrics(row, s.state.calibration.Values)
	if err := s.append(row); err != nil {
		return err
	}
	return s.settle(ctx, row)
}

// setMetrics puts values into a row. The first objective has a field of its own.
func (s *Session) setMetrics(row *ledger.Row, values map[string]float64) {
	row.Metrics = map[string]float64{}
	first := s.config.Objective().Name
	for name, v := range values {
		switch name {
		case first:
			row.Metric = &v
		case cpuMetric:
		default:
			row.Metrics[name] = v
		}
	}
}

// settle moves the refs to the place that a row names. A row whose refs are in place is done.
func (s *Session) settle(ctx context.Context, row *ledger.Row) error {
	if row.Object != "" {
		ref := s.runRef(row.Run)
		now, err := s.repo.Ref(ctx, ref)
		if err != nil {
			return err
		}
		if err := s.repo.SetRef(ctx, ref, row.Object, now); err != nil {
			return err
		}
	}
	if row.Kept() {
		if err := s.repo.SetRef(ctx, s.branch(), row.Object, row.Parent); err != nil {
			return err
		}
	}
	return s.phase(row.Run, ledger.Done, nil)
}
