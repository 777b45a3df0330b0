package research

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A replay judges history, in which tests change together with the code. So a commit is judged by
// its parent's tests and by its own. What its parent fails too is not its fault. If the parent's
// tests do not build with it, as after a rename, only its own judge it.

// testsOf is the tree whose tests judge the children of a commit: the base's, in a replay the
// commit's.
func (s *Session) testsOf(parent string) string {
	if s.config.replay != nil {
		return parent
	}
	return s.segment.Base
}

// bringsTests reports whether a commit of a replay changes files that judge.
func (s *Session) bringsTests(c *subject) bool {
	if s.config.replay == nil {
		return false
	}
	for _, ch := range c.changes {
		if s.evaluator.judges(ch.Path) {
			return true
		}
	}
	return false
}

// checkReplayed completes the outcome of a check of a replay's commit. The check has run with the
// parent's tests, or with the commit's own if only these build.
func (s *Session) checkReplayed(ctx context.Context, k *Check, c *subject, out ledger.Check) (ledger.Check, error) {
	byParent := c.ownTests && c.judged != c.tree
	own := ledger.Check{Status: pass}
	if byParent {
		var err error
		if own, err = s.checkTree(ctx, k, c, c.tree); err != nil {
			return out, err
		}
	}
	if !refuses(out) && !refuses(own) {
		if byParent {
			out.Notes = append(out.Notes, "passes with the parent's tests and with its own")
		}
		return out, nil
	}
	parent, err := s.checkParent(ctx, k, c)
	if err != nil {
		return out, err
	}
	excused := func(o ledger.Check) bool { return !refuses(o) || sameFailure(o, parent) }
	switch {
	case excused(out) && excused(own):
		what := strings.Join(parent.Failed, ", ")
		if what == "" {
			what = k.Name
		}
		out.Notes = append(out.Notes, "the parent fails it too: "+what)
		out.Status, out.Detail, out.Failed = pass, "", nil
	case excused(out):
		own.Detail = "with its own tests: " + own.Detail
		own.Seconds += out.Seconds
		out = own
	case byParent && !refuses(own):
		out.Detail = "with the parent's tests: " + out.Detail + "; it passes with its own tests, which it changes"
	case byParent:
		out.Detail = "with the parent's tests: " + out.Detail + "; it fails with its own tests too"
	}
	if refuses(out) && refuses(parent) {
		out.Detail += "; the parent fails too: " + parent.Detail
	}
	return out, nil
}

// checkParent runs a check on the parent of a replay's commit, with its own tests.
func (s *Session) checkParent(ctx context.Context, k *Check, c *subject) (ledger.Check, error) {
	p := &subject{side: c.side, commit: c.parentCommit, tree: c.parentTree, judged: c.parentTree, tests: c.tests,
		parentCommit: c.parentCommit, parentTree: c.parentTree, settings: c.parentSet, parentSet: c.parentSet}
	return s.checkTree(ctx, k, p, c.parentTree)
}

// sameFailure reports whether a check fails on the parent in all that it fails on the candidate.
func sameFailure(now, parent ledger.Check) bool {
	if !refuses(parent) || now.Status != parent.Status {
		return false
	}
	if len(now.Failed) == 0 {
		return len(parent.Failed) == 0 && now.Detail == parent.Detail
	}
	return !slices.ContainsFunc(now.Failed, func(name string) bool {
		return strings.Contains(name, " [") || !slices.Contains(parent.Failed, name)
	})
}

// testsGone reports whether the parent's tests do not build with the candidate, and its own do.
func (s *Session) testsGone(ctx context.Context, c *subject) (bool, error) {
	for _, x := range []struct {
		tree  string
		build bool
	}{{c.judged, false}, {c.tree, true}} {
		if err := errors.Join(c.side.dress(c.settings), c.side.checkout(ctx, c.commit, x.tree)); err != nil {
			return false, err
		}
		o, err := s.runner.compile(ctx, c.side, c.side.wt.Dir, nil, s.config.Limits.Build.or(checkTimeout), "go", "test", "-vet=off",
			"-exec=true", "./...") // builds the tests and runs none
		if err != nil || (o.Err() == nil) != x.build {
			return false, err
		}
	}
	return true, nil
}

// judgeByOwn makes a commit's own tests those that judge it.
func (s *Session) judgeByOwn(ctx context.Context, c *subject) (err error) {
	c.judged, err = s.carryBenchmarks(ctx, c.tree)
	return err
}

var failedTest = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?: *--- FAIL: (\S+) \(|FAIL\t(\S+)(.*)$)`)
})

// failedTests names the tests that failed in an output of go test, with their packages, and the
// packages that did not build.
func failedTests(out []byte) (names []string) {
	var list []string // of the present package
	for line := range strings.Lines(string(out)) {
		m := failedTest().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		switch {
		case m == nil:
		case m[1] != "":
			list = append(list, m[1])
		case strings.Contains(m[3], "["):
			names, list = append(names, m[2]+" "+strings.TrimSpace(m[3])), nil
		default:
			for _, name := range list {
				// Only the innermost of nested tests says what failed.
				inner := slices.ContainsFunc(list, func(other string) bool { return strings.HasPrefix(other, name+"/") })
				if name += " of " + m[2]; !inner && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			list = nil
		}
	}
	return append(names, list...)
}

// failedWords are the first of the tests that failed, for a reason; empty if none is known.
func failedWords(names []string) string {
	const most = 5
	switch {
	case len(names) == 0:
		return ""
	case len(names) > most:
		return fmt.Sprintf("%s and %d more: ", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ") + ": "
}
