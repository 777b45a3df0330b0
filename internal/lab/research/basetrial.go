package research

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A session begins with the base: it must pass its battery, and its benchmarks must run. init and
// the doctor try that before, in checkouts of their own and without a log.

// A baseTrial is the outcome.
type baseTrial struct {
	checks  []ledger.Check // of the battery, and hidden
	metrics []error        // benchmarks that do not build or run
	unboxed bool           // the failed checks pass without the box
}

// failed are the checks that the base fails.
func (t *baseTrial) failed() (list []ledger.Check) {
	for _, k := range t.checks {
		if refuses(k) {
			list = append(list, k)
		}
	}
	return list
}

// tryBase runs a config's checks and its benchmarks on a base.
func tryBase(ctx context.Context, repo *gitx.Repo, c *Config, base string) (t *baseTrial, err error) {
	const name = "base-trial"
	s := &Session{config: c, repo: repo, out: io.Discard, dir: Directory(repo, c.Session), segment: &ledger.Config{Base: base},
		state: &state{tip: base, next: 1}, env: measure.CurrentEnvironment(repo.Top)}
	if s.work, err = workDir(repo, name); err != nil {
		return nil, err
	}
	lock, err := measure.AcquireLock(ctx, filepath.Join(repo.Common, "gyr-"+name+".lock"))
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, err
	}
	if lock != nil {
		defer lock.Release()
	}
	defer func() { err = errors.Join(err, removeWorktrees(context.WithoutCancel(ctx), repo, s.work)) }()
	if s.runner, err = newRunner(s.work); err != nil {
		return nil, err
	}
	s.runner.limits, s.runner.secret = c.Limits, c.Proposer.KeyEnv
	if s.evaluator, err = s.newEvaluator(ctx, base); err != nil {
		return nil, err
	}
	if err := s.setUp(ctx); err != nil {
		return nil, err
	}
	t = &baseTrial{}
	if err := s.tryChecks(ctx, t); err != nil {
		return nil, err
	}
	if len(t.failed()) > 0 && s.box != nil && c.Sandbox != sandboxRequire {
		s.parent.box, s.candidate.box = nil, nil
		again := &baseTrial{}
		if err := s.tryChecks(ctx, again); err != nil {
			return nil, err
		}
		t.unboxed = len(again.failed()) == 0
	}
	for _, src := range c.sources() {
		if src.from != "gobench" {
			continue
		}
		m := src.metrics[0]
		err := s.runner.prepare(ctx, src, s.parent)
		if err == nil {
			err = s.runOnce(ctx, src)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			t.metrics = append(t.metrics, fmt.Errorf("%s of %s: %w", m.Bench, m.Pkg, err))
		}
	}
	return t, nil
}

// tryChecks runs all checks that the base meets.
func (s *Session) tryChecks(ctx context.Context, t *baseTrial) error {
	base := s.segment.Base
	c := &subject{side: s.candidate, commit: base, tree: base, judged: s.parentTree, parentCommit: base, parentTree: s.parentTree}
	for i := range s.config.Battery {
		k := &s.config.Battery[i]
		if k.When != "always" && k.When != "keep" {
			continue
		}
		out, err := s.check(ctx, k, c)
		if err != nil {
			return err
		}
		if !k.Advisory {
			t.checks = append(t.checks, out)
		}
	}
	if s.config.Hidden != nil {
		out, err := s.checkHidden(ctx, c)
		if err != nil {
			return err
		}
		t.checks = append(t.checks, out)
	}
	return nil
}

// runOnce runs one iteration of a benchmark.
func (s *Session) runOnce(ctx context.Context, src *source) error {
	o, err := s.runner.bench(ctx, src, s.parent, "1x")
	if err != nil {
		return err
	}
	_, err = oneResult(src.metrics[0], o)
	return err
}
