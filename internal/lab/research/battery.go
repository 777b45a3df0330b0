package research

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/queue"
	"github.com/gyrvm/gyr/internal/tools/process"
)

// A subject is a candidate as checks see it.
type subject struct {
	run          int
	side         *side
	commit       string // of the candidate
	tree         string // as proposed
	judged       string // the proposed tree with the evaluator's files of the base
	parentCommit string // of the branch's tip
	parentTree   string // judged
	settings     settings
	parentSet    settings
	changes      []gitx.Change       // from the parent to the proposed tree
	stats        map[string]string   // effect in words, by metric, once measured
	probes       *probes             // nil: not called yet
	tests        string              // tree whose tests and golden files judge; empty: the base
	ownTests     bool                // of a replay: the candidate has tests of its own
	state        map[string][]string // variables that the change writes to, by directory
	machine      *queue.Machine      // where a worker measured it; nil: here
}

// checkKinds are the kinds of checks. A kind returns the outcome without name and time.
var checkKinds = map[string]func(s *Session, ctx context.Context, k *Check, c *subject) (ledger.Check, error){
	"command":   (*Session).checkCommand,
	"diffcover": (*Session).checkCoverage,
	"api":       (*Session).checkAPI,
	"format":    (*Session).checkFormat,
	"review":    (*Session).checkReview,
}

// Outcomes of checks.
const (
	pass        = "pass"
	fail        = "fail"
	timeout     = "timeout"
	skip        = "skip" // asked for, but it could not run
	nothingToDo = "none" // it had nothing to examine
)

// check runs one check on the candidate, in a replay with its own tests too.
func (s *Session) check(ctx context.Context, k *Check, c *subject) (ledger.Check, error) {
	if k.TestsFrom == "candidate" {
		return s.checkTree(ctx, k, c, c.tree)
	}
	out, err := s.checkTree(ctx, k, c, c.judged)
	if err == nil && s.config.replay != nil && k.Kind == "command" && k.Compare == "" {
		return s.checkReplayed(ctx, k, c, out)
	}
	return out, err
}

// checkTree runs one check on a tree in the candidate's checkout. It verifies that neither the check
// nor the candidate's code changed the checkout.
func (s *Session) checkTree(ctx context.Context, k *Check, c *subject, tree string) (ledger.Check, error) {
	if err := errors.Join(c.side.dress(c.settings), c.side.checkout(ctx, c.commit, tree)); err != nil {
		return ledger.Check{}, err
	}
	start := s.now()
	note := ""
	if k.slow() {
		var err error
		restricted := *k
		if note, err = s.restrict(ctx, &restricted, c); err != nil {
			return ledger.Check{}, err
		}
		k = &restricted
	}
	out, err := checkKinds[k.Kind](s, ctx, k, c)
	if err != nil {
		return out, err
	}
	if note != "" {
		out.Notes = append(out.Notes, note)
	}
	out.Name, out.Seconds = k.Name, s.since(start)
	if out.Status == pass {
		changed, err := s.tampered(ctx, c, tree)
		if err != nil {
			return out, err
		}
		if changed != "" {
			out.Status, out.Detail = fail, "the check changed the checkout: "+changed
		}
	}
	return out, nil
}

// tampered names a file that has changed in the candidate's or the parent's checkout.
func (s *Session) tampered(ctx context.Context, c *subject, tree string) (string, error) {
	for _, x := range []struct {
		d    *side
		tree string
	}{{c.side, tree}, {s.parent, s.parent.tree}} {
		if x.tree == "" {
			continue
		}
		now, err := x.d.wt.Snapshot(ctx, x.tree)
		if err != nil {
			return err.Error(), ctx.Err()
		}
		changes, err := s.repo.Changes(ctx, x.tree, now)
		if err != nil {
			return "", err
		}
		for _, ch := range changes {
			if ch.Status != 'A' || x.d == s.parent {
				x.d.tree = "" // it must be checked out again
				return ch.Path, nil
			}
		}
	}
	return "", nil
}

// battery runs the checks of a condition in order, up to the first that refuses, and returns that
// one's name.
func (s *Session) battery(ctx context.Context, c *subject, when func(string) bool) (done []ledger.Check,
	failed string, err error) {
	for i := range s.config.Battery {
		k := &s.config.Battery[i]
		if !when(k.When) {
			continue
		}
		out, err := s.check(ctx, k, c)
		if err != nil {
			return done, "", err
		}
		done = append(done, out)
		if refuses(out) && !k.Advisory {
			return done, k.Name, nil
		}
	}
	return done, "", nil
}

// refuses reports whether an outcome refuses a candidate. A check that cannot run leaves it
// unchecked.
func refuses(k ledger.Check) bool { return k.Status == fail || k.Status == timeout }

// missing says that a check's program is not on this machine; empty if it is.
func missing(k *Check) string {
	name := k.Run[0]
	if strings.ContainsRune(name, filepath.Separator) && !filepath.IsAbs(name) {
		return "" // the candidate's own program
	}
	if _, err := exec.LookPath(name); err != nil {
		return "it cannot run here: " + err.Error()
	}
	return ""
}

// unabilities are messages of the go command about checks that this system does not support, such
// as the race detector without a C compiler.
var unabilities = []string{"-race requires cgo", "-race is not supported on", "-race is only supported on",
	"-msan is not supported on", "-asan is not supported on", "C compiler \"gcc\" not found", "C compiler \"clang\" not found"}

// unable is the line in which a tool says that the system does not support a check; empty if there
// is none.
func unable(text string) string {
	for line := range strings.Lines(text) {
		for _, u := range unabilities {
			if strings.Contains(line, u) {
				return "it cannot run here: " + strings.TrimSpace(line)
			}
		}
	}
	return ""
}

func (s *Session) checkCommand(ctx context.Context, k *Check, c *subject) (ledger.Check, error) {
	if reason := missing(k); reason != "" {
		return ledger.Check{Status: skip, Detail: reason}, nil
	}
	if err := s.warm(ctx, k, c.side); err != nil {
		return ledger.Check{}, err
	}
	var o *process.Outcome
	var err error
	if k.builds() {
		o, err = s.runner.compile(ctx, c.side, filepath.Join(c.side.wt.Dir, k.Dir), s.checkEnv(k, c), s.config.limit(k),
			k.Run[0], k.Run[1:]...)
	} else {
		o, err = s.toItsEnd(ctx, k, c)
	}
	if why := (*endless)(nil); errors.As(err, &why) {
		return ledger.Check{Status: fail, Detail: why.msg}, nil
	}
	if err != nil {
		return ledger.Check{}, err
	}
	if o.Err() != nil {
		if reason := unable(string(o.Stdout) + string(o.Stderr)); reason != "" {
			return ledger.Check{Status: skip, Detail: reason}, nil
		}
	}
	switch err := o.Err(); {
	case o.TimedOut:
		return ledger.Check{Status: timeout, Detail: tail(o)}, nil
	case err != nil:
		failed := failedTests(o.Stdout)
		return ledger.Check{Status: fail, Detail: failedWords(failed) + err.Error() + ": " + tail(o), Failed: failed}, nil
	}
	want := ""
	switch {
	case k.Golden != "":
		// From the base, not from the checkout, where the candidate's code runs.
		text, err := s.repo.File(ctx, cmp.Or(c.tests, s.segment.Base), k.Golden)
		if err != nil {
			return ledger.Check{Status: fail, Detail: "no golden file " + k.Golden + " in the base"}, nil
		}
		want = string(text)
	case k.Compare != "":
		if want, err = s.parentOutput(ctx, k, c); err != nil {
			return ledger.Check{}, err
		}
	default:
		return ledger.Check{Status: pass}, nil
	}
	if got := string(o.Stdout); got != want {
		return ledger.Check{Status: fail, Detail: "output differs: " + firstDifference(want, got)}, nil
	}
	return ledger.Check{Status: pass}, nil
}

// checkEnv is the environment of a check's command in addition to its own settings.
func (s *Session) checkEnv(k *Check, c *subject) map[string]string {
	env := map[string]string{"RESEARCH_PARENT": s.parent.wt.Dir, "RESEARCH_CANDIDATE": c.side.wt.Dir}
	maps.Copy(env, k.Env)
	return env
}

// parentOutput is the output of a check in the parent's checkout.
func (s *Session) parentOutput(ctx context.Context, k *Check, c *subject) (string, error) {
	if err := errors.Join(s.parent.dress(c.parentSet), s.parent.checkout(ctx, c.parentCommit, c.parentTree)); err != nil {
		return "", err
	}
	o, err := s.runner.on(ctx, s.parent, filepath.Join(s.parent.wt.Dir, k.Dir), s.checkEnv(k, c),
		s.config.limit(k), k.Run[0], k.Run[1:]...)
	if err != nil {
		return "", err
	}
	return string(o.Stdout), nil
}

// firstDifference shows the first line that differs from the wanted one.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d is %.120q, not %.120q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, not %d", len(g), len(w))
}

// A reviewRequest is a reviewer's standard input.
type reviewRequest struct {
	Run      int               `json:"run"`
	Diff     string            `json:"diff"`
	Figures  map[string]string `json:"figures"`
	Worktree string            `json:"worktree"`
}

// checkReview gives diff and figures to a command. It prints findings as JSON lines
// {"file","line","message","blocking"}. A blocking one refuses the candidate.
func (s *Session) checkReview(ctx context.Context, k *Check, c *subject) (ledger.Check, error) {
	diff, err := s.repo.Diff(ctx, c.parentCommit, c.tree)
	if err != nil {
		return ledger.Check{}, err
	}
	request, err := json.Marshal(reviewRequest{c.run, string(diff), c.stats, c.side.wt.Dir})
	if err != nil {
		return ledger.Check{}, err
	}
	file := filepath.Join(s.outDir(c.run), "review-"+slug(k.Name)+".json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, request, 0o666)); err != nil {
		return ledger.Check{}, err
	}
	env := s.checkEnv(k, c)
	env["RESEARCH_REVIEW"] = file
	o, err := s.runner.exec(ctx, c.side.wt.Dir, env, s.config.limit(k), k.Run[0], k.Run[1:]...)
	if err != nil {
		return ledger.Check{}, err
	}
	out := ledger.Check{Status: pass}
	if err := o.Err(); err != nil {
		return ledger.Check{Status: fail, Detail: "the reviewer failed: " + err.Error() + ": " + tail(o)}, nil
	}
	for line := range bytes.Lines(o.Stdout) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var f ledger.Finding
		if err := json.Unmarshal(line, &f); err != nil || f.Message == "" {
			return ledger.Check{Status: fail, Detail: fmt.Sprintf("the reviewer printed %.80q, which is no finding", line)}, nil
		}
		note := f.Message
		if f.File != "" {
			note = fmt.Sprintf("%s:%d: %s", f.File, f.Line, note)
		}
		out.Notes = append(out.Notes, note)
		if f.Blocking && out.Status == pass {
			out.Status, out.Detail = fail, note
		}
	}
	return out, nil
}

// checkHidden lays the hidden files over the checkout and runs their command. It does not say what
// failed, as the proposer may read the log.
func (s *Session) checkHidden(ctx context.Context, c *subject) (ledger.Check, error) {
	h := s.config.Hidden
	if err := errors.Join(c.side.dress(c.settings), c.side.checkout(ctx, c.commit, c.judged)); err != nil {
		return ledger.Check{}, err
	}
	if err := os.CopyFS(c.side.wt.Dir, overwriting(c.side.wt.Dir, s.config.path(h.Dir))); err != nil {
		return ledger.Check{}, fmt.Errorf("hidden checks: %w", err)
	}
	start := s.now()
	o, err := s.runner.on(ctx, c.side, c.side.wt.Dir, nil, h.Timeout.or(checkTimeout), h.Run[0], h.Run[1:]...)
	if err != nil {
		return ledger.Check{}, err
	}
	c.side.tree = ""
	out := ledger.Check{Name: "hidden", Status: pass, Seconds: s.since(start)}
	if o.Err() != nil {
		out.Status = fail
	}
	return out, c.side.checkout(ctx, c.commit, c.judged)
}

// passed are the names of the checks that passed, for the commit's trailer.
func passed(checks []ledger.Check) []string {
	var names []string
	for _, k := range checks {
		if k.Status == pass && !slices.Contains(names, k.Name) {
			names = append(names, k.Name)
		}
	}
	return names
}
