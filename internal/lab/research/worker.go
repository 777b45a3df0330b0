package research

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/queue"
	"github.com/gyrvm/gyr/internal/lab/research/risk"
	"github.com/gyrvm/gyr/internal/tools/process"
)

// A Worker tries candidates of sessions on other machines, in a clone of their repository. One
// process uses a key in a clone at a time, and its methods are for one goroutine.
type Worker struct {
	Dir         string // a directory in the clone
	Key         ed25519.PrivateKey
	From        string // public key of the session whose trials it takes; empty: any
	Unboxed     bool   // take trials that run without the sandbox, too
	Version     string // of this program
	Determinism int    // its determinism version
	Out         io.Writer

	session *Session // of the last trial
	of      string   // what the session was made for
	lock    *measure.Lock
	linter  *risk.Linter // made for the first session
}

// Try checks and measures the candidate of a trial, and returns the signed result. A trial that it
// cannot try has a result that says why. The error is that of ctx, or says that nothing can be
// signed.
func (w *Worker) Try(ctx context.Context, m queue.Message) (queue.Message, error) {
	r := &queue.Result{Trial: m.ID}
	err := w.try(ctx, m.Trial, r)
	if ctx.Err() != nil {
		// Its programs were killed at some moment: the next trial begins with new checkouts.
		return queue.Message{}, errors.Join(ctx.Err(), w.Close())
	}
	if err != nil {
		if !errors.As(err, &r.Error) {
			r.Error = &queue.RefusedError{What: queue.RefusedWorker, Have: err.Error()}
		}
		fmt.Fprintf(w.Out, "trial %s: %v\n", m.ID, err)
	}
	signed, err := queue.Sign(w.Key, queue.KindResult, r)
	return queue.Message{ID: m.ID, Attempt: m.Attempt, Result: signed}, err
}

func (w *Worker) try(ctx context.Context, signed *queue.Signed, r *queue.Result) error {
	var t queue.Trial
	if err := signed.Read(queue.KindTrial, &t); err != nil {
		return err
	}
	if w.From != "" && signed.Key != w.From {
		return &queue.RefusedError{What: queue.RefusedKey, Have: signed.Key, Want: w.From}
	}
	var err error
	if r.Trial, err = t.ID(); err != nil {
		return err
	}
	repo, err := gitx.Open(ctx, w.Dir)
	if err != nil {
		return err
	}
	env := measure.CurrentEnvironment(repo.Top)
	r.Versions = queue.Versions{Gyr: w.Version, Go: env.Go, Determinism: w.Determinism}
	host, _ := os.Hostname()
	r.Machine = queue.Machine{ID: queue.Here(), Host: host, Env: *ledgerEnv(env), Rate: measure.LoadRate()}
	if err := r.Versions.Check(t.Versions); err != nil {
		return err
	}
	if !t.Boxed && !w.Unboxed {
		return &queue.RefusedError{What: queue.RefusedSandbox, Have: "the session runs candidates without one", Want: "bubblewrap, or a worker with -unboxed"}
	}
	s, p, err := w.open(ctx, repo, env, &t)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.Out, "run %d of %s: %.7s against %.7s\n", t.Run, t.Session, p.Object, p.Parent)
	return s.answer(ctx, t.Run, p, r)
}

// open makes the session of a trial, and the proposal in it. The session of the last trial serves
// again if only the candidate or the branch's tip is another one.
func (w *Worker) open(ctx context.Context, repo *gitx.Repo, env *measure.Environment, t *queue.Trial) (*Session, *proposal, error) {
	config, err := ParseConfig("research.json of the trial", t.Config)
	if err != nil {
		return nil, nil, err
	}
	config.Session, config.Dir, config.Sandbox = t.Session, repo.Top, sandboxOff
	if t.Boxed {
		config.Sandbox = sandboxRequire
	}
	base, err := repo.Resolve(ctx, t.Base)
	if err != nil {
		return nil, nil, fmt.Errorf("the session's base is missing here: git fetch gets it: %w", err)
	}
	if err := repo.Unpack(ctx, t.Pack); err != nil {
		return nil, nil, err
	}
	p := &proposal{Kind: kindCandidate, Settings: t.Settings}
	if p.Parent, err = repo.Resolve(ctx, t.Parent); err != nil {
		return nil, nil, err
	}
	if p.Object, err = repo.Resolve(ctx, t.Object); err != nil {
		return nil, nil, err
	}
	if p.Tree, err = repo.Tree(ctx, p.Object); err != nil {
		return nil, nil, err
	}
	c := &calibration{}
	if err := json.Unmarshal(t.Calibration, c); err != nil {
		return nil, nil, fmt.Errorf("the calibration: %w", err)
	}
	if of := fmt.Sprint(base, t.Session, t.Boxed, env.Fingerprint(), string(t.Config)); w.session == nil || w.of != of {
		if err := w.Close(); err != nil {
			return nil, nil, err
		}
		if err := w.newSession(ctx, repo, config, env, base); err != nil {
			return nil, nil, errors.Join(err, w.Close())
		}
		w.of = of
	}
	s := w.session
	s.state = &state{tip: p.Parent, next: t.Run, settings: t.ParentSet, calibration: c, sinceTest: t.Since}
	if t.Double {
		s.state.alarms = 1
	}
	if err := s.setUp(ctx); err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	s.resolve()
	return s, p, nil
}

// newSession makes a session without a log, in a directory of the key's own.
func (w *Worker) newSession(ctx context.Context, repo *gitx.Repo, config *Config, env *measure.Environment, base string) (err error) {
	sum := sha256.Sum256(w.Key.Public().(ed25519.PublicKey))
	name := "worker-" + hex.EncodeToString(sum[:4])
	if w.linter == nil {
		w.linter = risk.NewLinter("")
	}
	s := &Session{config: config, repo: repo, out: w.Out, dir: Directory(repo, name), segment: &ledger.Config{Base: base},
		state: &state{tip: base, next: 1}, env: env, linter: w.linter, works: true}
	if s.work, err = workDir(repo, name); err != nil {
		return err
	}
	if s.runner, err = newRunner(s.work); err != nil {
		return err
	}
	s.runner.limits = config.Limits
	file := filepath.Join(repo.Common, "gyr-"+name+".lock")
	if w.lock, err = measure.TryLock(file); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	} else if err == nil && w.lock == nil {
		return fmt.Errorf("another worker has this key in this repository: %w: %s", ErrBusy, measure.Holder(file))
	}
	process.KillMarked(s.runner.mark) // what a killed worker has left
	w.session = s
	s.evaluator, err = s.newEvaluator(ctx, base)
	return err
}

// Close removes the worktrees.
func (w *Worker) Close() (err error) {
	if w.session != nil {
		err = removeWorktrees(context.Background(), w.session.repo, w.session.work)
	}
	if w.lock != nil {
		err = errors.Join(err, w.lock.Release())
	}
	w.session, w.lock = nil, nil
	return err
}

// answer fills in the result of a candidate: what the checks say, and the pairs.
func (s *Session) answer(ctx context.Context, run int, p *proposal, r *queue.Result) (err error) {
	file := filepath.Join(s.work, "log.jsonl")
	if err := os.RemoveAll(file); err != nil {
		return err
	}
	if s.log, err = ledger.Open(file, ""); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.log.Close()) }()
	waited := s.waiting
	changes, err := s.repo.Changes(ctx, p.Parent, p.Tree)
	if err != nil {
		return err
	}
	c, err := s.subjectFor(ctx, run, p, changes)
	if err != nil {
		return err
	}
	v, err := s.verify(ctx, c)
	if err != nil {
		return err
	}
	if r.Verified, err = json.Marshal(v); err != nil {
		return err
	}
	r.Sandbox = s.boxWord()
	if v.Failed != "" {
		return nil
	}
	_, err = s.measure(ctx, c)
	if bad := (*sampleError)(nil); errors.As(err, &bad) {
		r.Failure, r.Reason, err = ledger.VerdictCrash, bad.msg, nil
		if bad.timeout {
			r.Failure = ledger.VerdictTimeout
		}
	}
	r.Samples = ledger.Samples(s.log.Lines(), run)
	r.Waited = (s.waiting - waited).Round(time.Millisecond).Seconds()
	return err
}

// machines are those on which the sides of the present pair were sampled, for a worker's result.
func (s *Session) machines(c *subject) []string {
	if !s.works {
		return nil
	}
	return []string{s.parent.on, c.side.on}
}
