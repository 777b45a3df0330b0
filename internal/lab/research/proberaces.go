package research

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/probe"
)

// Calls by several goroutines show data races by luck: a wrong answer, a panic of the runtime about a map.
// The race detector finds them without luck, where it can be built. Of both versions the parent decides:
// what it does, too, is no difference.

// detectRaces calls the candidate's functions by several goroutines under the race detector, where
// that can be built, and those in which it finds something in the parent, too. Methods of one object
// are called together only here: without the detector, the parent may only have had luck.
func (s *Session) detectRaces(ctx context.Context, c *subject, x *probed, list []*program) error {
	if len(x.refusing()) > 0 {
		return nil
	}
	var names []string
	for _, key := range sortedKeys(x.now[0].parts) {
		name, ok := strings.CutPrefix(key, probe.Concurrent+" ")
		before := x.before[0].parts[key]
		together := strings.HasPrefix(name, "type ") || x.now[0].parts[key] != nil && x.now[0].parts[key].Calls > 0
		if ok && together && before != nil && before.Unsupported == "" && before.Races == "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	if s.runner.golang.CGO != "1" {
		x.detector = "without the race detector, which needs cgo and a C compiler"
		return nil
	}
	raced, reason, err := s.underDetector(ctx, c.side, list, 1, names)
	if err != nil {
		return err
	}
	if x.detector = "with the race detector"; reason != "" {
		x.detector = "without the race detector: " + reason
		return nil
	}
	if len(raced) == 0 {
		return nil
	}
	names = slices.DeleteFunc(names, func(name string) bool { return raced[probe.Concurrent+" "+name] == "" })
	for range confirmRuns { // a race of the parent may not show at once
		before, reason, err := s.underDetector(ctx, s.parent, list, 0, names)
		if err != nil || reason != "" {
			return err
		}
		maps.DeleteFunc(raced, func(key, _ string) bool { return before[key] != "" })
	}
	x.raced = raced
	return nil
}

// underDetector calls functions of a version by several goroutines under the race detector, and returns
// what it finds by part and function. A reason says why it cannot be had.
func (s *Session) underDetector(ctx context.Context, d *side, list []*program, version int, names []string) (raced map[string]string, reason string, err error) {
	raced = map[string]string{}
	for _, g := range list {
		bin, reason, err := g.race(version)
		if err != nil || reason != "" {
			return nil, reason, err
		}
		o := g.order
		o.Outside, o.Brief, o.Functions, o.Skip = true, true, names, slices.Clone(o.Skip)
		for _, name := range names {
			o.Skip = append(o.Skip, probe.Derived+" "+name, probe.Disturbed+" "+name, probe.Failing+" "+name)
		}
		v, err := s.callAll(ctx, d, bin, o, false)
		if err != nil {
			return nil, "", err
		}
		for _, name := range names {
			key := probe.Concurrent + " " + name
			if strings.HasPrefix(name, "type ") { // functions were called without the detector, too
				if r := v.parts[key]; r != nil && r.Races != "" {
					raced[key] = r.Races
				}
				if how := v.stuck[key]; how != "" {
					raced[key] = how
				}
			}
			if text := v.raced[key]; text != "" {
				raced[key] = "has a data race: " + text
			}
		}
	}
	return raced, "", nil
}

// luckRuns is how often the parent is called again by several goroutines, without the race detector, to
// find what the candidate shows there.
const luckRuns = 6

// lucky leaves out what the candidate shows when several goroutines call it, and what the parent might have
// shown: it has a data race there, too. It returns the functions.
func (s *Session) lucky(ctx context.Context, c *subject, x *probed, list []*program) (names []string, err error) {
	var shown []difference
	for _, d := range x.refusing() {
		if strings.HasPrefix(d.key, probe.Concurrent+" ") && !slices.ContainsFunc(shown, func(e difference) bool { return e.key == d.key }) {
			shown = append(shown, d)
		}
	}
	if len(shown) == 0 {
		return nil, nil
	}
	found, reason := map[string]bool{}, "no detector"
	if s.runner.golang.CGO == "1" {
		var of []string
		for _, d := range shown {
			of = append(of, d.name)
		}
		var raced map[string]string
		if raced, reason, err = s.underDetector(ctx, s.parent, list, 0, of); err != nil {
			return nil, err
		}
		for key := range raced {
			found[key] = true
		}
	}
	if reason != "" {
		var programs []*program
		for _, g := range list {
			programs = append(programs, g.showing(shown))
		}
		for range luckRuns {
			runs, err := s.callBy(ctx, s.parent, programs, 0, false)
			if err != nil {
				return nil, err
			}
			for _, d := range shown {
				for _, v := range runs {
					if v.stuck[d.key] != "" || v.parts[d.key] != nil && v.parts[d.key].Races != "" {
						found[d.key] = true
					}
				}
			}
		}
	}
	for _, d := range shown {
		if !found[d.key] {
			continue
		}
		names = append(names, d.name)
		for _, v := range x.now {
			delete(v.stuck, d.key)
			if r := v.parts[d.key]; r != nil {
				r.Races = ""
			}
		}
	}
	return names, nil
}

// dataRace is the beginning of the race detector's report in a text, empty if there is none.
func dataRace(text string) string {
	_, report, ok := strings.Cut(text, "WARNING: DATA RACE\n")
	if !ok {
		return ""
	}
	var words []string
	for line := range strings.Lines(report) {
		if line = strings.TrimSpace(line); line == "" || len(words) == 6 {
			break
		}
		words = append(words, line)
	}
	return strings.Join(words, " ")
}
