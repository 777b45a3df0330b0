package research

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/risk"
)

// freshInput is the check of that name where the battery has none. A benchmark that gives one input again and again
// measures a cache, so a candidate that keeps state between calls is asked what the state is for. Variables
// of the package are tried: functions are called with the variable as the program begins with it, as the
// same call left it, and with another value in it. A variable that no result depends on is no
// cache, such as a counter or a flag; nor is one that no call writes to whose result depends on it, such as
// a setting. State of another kind, in objects or made when the program starts, needs the battery's check.
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
				case st.Unstable:
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
