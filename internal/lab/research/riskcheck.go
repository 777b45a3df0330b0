package research

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/risk"
)

// riskCheck is the name under which the risk lint refuses a candidate.
const riskCheck = "risk"

// lint labels the risks of a change, and refuses it if a blocking rule has a finding.
func (s *Session) lint(ctx context.Context, c *subject, v *verification) error {
	if err := s.bothSides(ctx, c); err != nil {
		return err
	}
	if s.linter == nil {
		s.linter = risk.NewLinter("")
	}
	d := risk.Diff{Parent: os.DirFS(s.parent.wt.Dir), Candidate: os.DirFS(c.side.wt.Dir)}
	for _, ch := range c.changes {
		d.Files = append(d.Files, ch.Path)
	}
	report, err := s.linter.Lint(d)
	if err != nil {
		return fmt.Errorf("risk lint: %w", err)
	}
	set := &s.config.Risk
	rules := risk.Rules()
	label := func(f ledger.Finding) string {
		i := slices.IndexFunc(rules, func(r risk.Rule) bool { return r.Name == f.Rule })
		return rules[i].Label
	}
	in := func(list []string, f ledger.Finding) bool {
		return slices.Contains(list, f.Rule) || slices.Contains(list, label(f))
	}
	for _, f := range report.Findings {
		if in(set.Off, f) {
			continue
		}
		f.Blocking = (f.Blocking || in(set.Reject, f)) && !in(set.Allow, f)
		v.Findings = append(v.Findings, f)
		if f.Blocking && v.Failed == "" {
			v.Failed = riskCheck
			v.Battery = append(v.Battery, ledger.Check{Name: riskCheck, Status: fail,
				Detail: fmt.Sprintf("%s: %s:%d: %s", f.Rule, f.File, f.Line, f.Message)})
		}
	}
	for _, l := range report.Labels {
		if !slices.Contains(set.Off, l) {
			v.Labels = append(v.Labels, l)
		}
	}
	if len(v.Labels) > 0 {
		v.Checks, v.State = report.Checks, report.State
	}
	return nil
}

// variants are checks of risks that gyr provides: the battery's commands again, with other flags of
// the go command.
var variants = map[string]func(s *Session, c *subject, labels []string) (flags string, err error){
	risk.Race:         func(s *Session, _ *subject, labels []string) (string, error) { return s.raceFlags(labels), nil },
	risk.CheckPtr:     func(*Session, *subject, []string) (string, error) { return "-gcflags=all=-d=checkptr", nil },
	risk.PoisonedPool: (*Session).poisonedPools,
}

// riskChecks runs the checks that the risks of a change ask for. It takes the battery's check with
// that name, or one for one of the labels, else a variant or one of probeChecks. Any other check is
// noted as skipped, so that the candidate is unchecked. A cache is stricter: a benchmark cannot
// tell it from a gain, so it needs its check or the config's permission.
func (s *Session) riskChecks(ctx context.Context, c *subject, v *verification) (done []ledger.Check, failed string,
	err error) {
	labelled := false
	for _, k := range s.config.Battery {
		l, ok := strings.CutPrefix(k.When, "risk:")
		labelled = labelled || ok && slices.Contains(v.Labels, l)
	}
	for _, name := range s.asked(c, v) {
		i := slices.IndexFunc(s.config.Battery, func(k Check) bool { return k.Name == name })
		out, left := s.leftCheck(name)
		switch {
		case left:
		case i >= 0 && s.config.Battery[i].When != "always" && s.config.Battery[i].When != "keep":
			if out, err = s.check(ctx, &s.config.Battery[i], c); err != nil {
				return done, "", err
			}
		case i >= 0:
			continue // runs anyway
		case variants[name] != nil:
			if out, err = s.variant(ctx, c, name, v.Labels); err != nil {
				return done, "", err
			}
		case probeChecks[name] != nil:
			if out, err = s.probeCheck(ctx, c, name, slices.Contains(v.Checks, name)); err != nil {
				return done, "", err
			}
			if name == risk.Differential && out.Status == pass {
				done = append(done, s.leftParts()...)
			}
		case name == risk.FreshInput && (labelled || slices.Contains(s.config.Risk.Allow, "cache")):
			continue // the battery's own check, or the config's permission
		case name == risk.FreshInput:
			if out, err = s.freshInput(ctx, c, v); err != nil {
				return done, "", err
			}
		default:
			out = ledger.Check{Name: name, Status: skip, Detail: "no such check in the battery"}
		}
		done = append(done, out)
		if refuses(out) {
			return done, name, nil
		}
	}
	return done, "", nil
}

// asked are the checks that a change has to pass: those of its risks, and for any change of Go code
// those that call its functions.
func (s *Session) asked(c *subject, v *verification) []string {
	list := slices.Clone(v.Checks)
	if len(c.changedDirs()) > 0 {
		for _, name := range []string{risk.Differential, risk.FreshInput, risk.Mutation} {
			if !slices.Contains(list, name) && !slices.Contains(s.config.Risk.Off, name) {
				list = append(list, name)
			}
		}
	}
	slices.Sort(list)
	// A cache is reported as such first.
	if i := slices.Index(list, risk.FreshInput); i > 0 {
		list = slices.Insert(slices.Delete(list, i, i+1), 0, risk.FreshInput)
	}
	return list
}

// unchecked names the checks that were asked for and did not run, with the reasons; empty if there
// are none.
func unchecked(battery []ledger.Check) string {
	var words []string
	for _, k := range battery {
		if k.Status == skip {
			words = append(words, fmt.Sprintf("%s did not run: %s", k.Name, k.Detail))
		}
	}
	return strings.Join(words, "; ")
}

// variant runs those of the battery's commands that run code, with other flags.
func (s *Session) variant(ctx context.Context, c *subject, name string, labels []string) (ledger.Check, error) {
	flag, err := variants[name](s, c, labels)
	if err != nil || flag == "" {
		return ledger.Check{Name: name, Status: skip, Detail: "not applicable"}, err
	}
	out := ledger.Check{Name: name, Status: skip, Detail: "no command of the battery runs the package's code"}
	for _, k := range s.config.Battery {
		if k.Kind != "command" || k.When != "always" || k.Run[0] == "go" && len(k.Run) > 1 &&
			!slices.Contains([]string{"test", "run"}, k.Run[1]) {
			continue
		}
		env := map[string]string{goFlags: flag}
		maps.Copy(env, k.Env)
		k.Env, k.Timeout = env, Duration(k.Timeout.or(s.config.Limits.Race.or(raceTimeout)))
		one, err := s.check(ctx, &k, c)
		if err != nil {
			return out, err
		}
		if out.Status == skip {
			out.Status, out.Detail = pass, ""
		}
		out.Notes = append(out.Notes, one.Notes...)
		if one.Status == skip {
			out.Status, out.Detail = skip, k.Name+" with "+name+": "+one.Detail
			break
		}
		if out.Seconds += one.Seconds; one.Status != pass {
			out.Status, out.Detail = one.Status, k.Name+" with "+name+": "+one.Detail
			break
		}
	}
	return out, nil
}

// changedDirs are the directories of changed Go files.
func (c *subject) changedDirs() []string {
	var dirs []string
	for _, ch := range c.changes {
		if d := path.Dir(ch.Path); path.Ext(ch.Path) == ".go" && !strings.HasSuffix(ch.Path, "_test.go") && !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	return dirs
}
