package research

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/probe"
	"github.com/gyrvm/gyr/internal/lab/research/risk"
)

// The effort says how much time the checks of a gain may take. Each row has its effort, and what
// that leaves out. What quick leaves out has not run, so a gain is unchecked.

// Efforts are the efforts, the least first.
var Efforts = []string{effortQuick, effortNormal, effortThorough}

const (
	effortQuick    = "quick"
	effortNormal   = "normal"
	effortThorough = "thorough"
)

// SetEffort sets the effort of a session. It is none of the evaluator: rows of several efforts can
// stand in a segment.
func (c *Config) SetEffort(name string) error {
	if !slices.Contains(Efforts, name) {
		return fmt.Errorf("effort %q is none of %s", name, strings.Join(Efforts, ", "))
	}
	c.effort = name
	return nil
}

// quickLeaves are the checks of risks, and the parts of calls, that quick leaves out.
var (
	quickLeaves = []string{risk.Race, risk.CheckPtr, risk.PoisonedPool}
	quickParts  = []string{probe.Disturbed, probe.Concurrent}
)

// leftCheck is the outcome of a check of a risk that the effort leaves out.
func (s *Session) leftCheck(name string) (out ledger.Check, left bool) {
	if s.config.effort != effortQuick || !slices.Contains(quickLeaves, name) {
		return out, false
	}
	return ledger.Check{Name: name, Status: skip, Detail: "left out by -effort " + effortQuick}, true
}

// leftParts are the outcomes of the parts of a function's examination that the effort leaves out.
func (s *Session) leftParts() (list []ledger.Check) {
	if s.config.effort == effortQuick {
		for _, part := range quickParts {
			list = append(list, ledger.Check{Name: part, Status: skip, Detail: "left out by -effort " + effortQuick})
		}
	}
	return list
}

// skippedParts are the keys of these parts for functions.
func (s *Session) skippedParts(functions []string) (keys []string) {
	for _, k := range s.leftParts() {
		for _, name := range functions {
			keys = append(keys, k.Name+" "+name)
		}
	}
	return keys
}

// raceFlags are the flags of the race check. A removed lock shows in a rare race, so tests run ten
// times then, and always with the greatest effort.
func (s *Session) raceFlags(labels []string) string {
	if slices.Contains(labels, "lock") || s.config.effort == effortThorough {
		return "-race -count=10"
	}
	return "-race"
}

// noteEffort notes in a row that passed to the checks of a gain what was left out there.
func (s *Session) noteEffort(row *ledger.Row, labels []string) {
	row.Effort = s.config.effort
	for _, k := range row.Battery {
		switch {
		case strings.HasPrefix(k.Detail, "left out by -effort"):
			row.LeftOut = append(row.LeftOut, k.Name)
		case k.Name == risk.Race && k.Status == pass && s.raceFlags(labels) == "-race":
			row.LeftOut = append(row.LeftOut, "nine of ten runs of race")
		case k.Name == risk.Differential && s.config.effort == effortNormal:
			row.LeftOut = append(row.LeftOut, fmt.Sprintf("%d more runs of answers that did not change in %d", settledRuns-confirmRuns, confirmRuns))
		}
	}
}
