package research

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/probe"
	"github.com/gyrvm/gyr/internal/lab/research/risk"
)

// kept reports whether the parent's function has the same relation to a variable of that name.
func (p *probed) kept(name string, st probe.State) bool {
	for _, v := range p.before {
		if r := v.calls[name]; r != nil && slices.Contains(r.State, st) {
			return true
		}
	}
	return false
}

// freshInput is the check fresh-input if the battery has none. A benchmark with a single input
// measures a cache, so this check examines the state that a candidate keeps between calls. It tries
// variables of the package: those that the lint sees the change write to, and all others that calls
// change in another way than the parent's. It calls functions with the variable's initial value, with
// the value that the same call left, and with another value. If no result depends on a variable, such
// as a counter or a flag, it is no cache. A variable that no call writes to, such as a setting, is no
// cache either. State of other kinds, in objects or made at the program's start, needs the battery's
// own check.
func (s *Session) freshInput(ctx context.Context, c *subject, v *verification) (ledger.Check, error) {
	start := s.now()
	out := ledger.Check{Name: risk.FreshInput, Status: fail}
	other := ""
	for _, f := range v.Findings {
		if slices.Contains([]string{"memo-field", "start-work"}, f.Rule) {
			other = f.Message
		}
	}
	const way = ` (no check of the battery is named fresh-input or runs "when": "risk:cache")`
	if other != "" {
		out.Detail = "the candidate keeps state between calls: " + other + way
		return out, nil
	}
	if err := s.probeOnce(ctx, c); err != nil {
		return out, err
	}
	written := map[string]bool{}
	for _, p := range c.probes.list {
		for _, name := range sortedKeys(p.now[0].calls) {
			for _, st := range p.now[0].calls[name].State {
				state := path.Join(path.Dir(p.name), st.Name)
				switch {
				case st.Unstable, !slices.Contains(c.state[path.Dir(p.name)], st.Name) && p.kept(name, st):
					continue
				case st.Warm:
					out.Detail = fmt.Sprintf("the candidate keeps state between calls: %s gives another result the second time, by %s", p.label(name), state)
				case st.Writes && st.Depends:
					out.Detail = fmt.Sprintf("the candidate keeps state between calls: %s writes to %s, and with another value in it gives another result",
						p.label(name), state)
				}
				if out.Detail != "" {
					out.Detail += way
					return out, nil
				}
				if st.Writes {
					written[state] = true
					out.Notes = append(out.Notes, fmt.Sprintf("%s writes to %s; its results are the same cold, warm and poisoned", p.label(name), state))
				}
			}
		}
	}
	out.Seconds = s.since(start)
	var unseen []string
	for _, dir := range sortedKeys(c.state) {
		for _, name := range c.state[dir] {
			if state := path.Join(dir, name); !written[state] {
				unseen = append(unseen, state)
			}
		}
	}
	if out.Status = pass; len(unseen) > 0 {
		out.Status, out.Detail = skip, "the candidate keeps state between calls, and no call that could be made writes to "+strings.Join(unseen, ", ")+way
	}
	return out, nil
}
