package main

import (
	"fmt"
	"io"
	"regexp"

	"github.com/gyrvm/gyr"
)

// bar limits the time of a unit of gas, as a multiple of the time of a unit of the plain loop.
const bar = 15

// Reasons why a row may exceed the bar.
const (
	waits  = "waits for memory: no price that a load can have covers what misses caches and TLB, and few loads do"
	faults = "waits for pages of the system: a stack is not priced by its bytes, which passes of phase A decide"
)

// above lists the rows that may exceed the bar, by how much, and why. Each factor has about a
// quarter of headroom for busy machines and other caches. The first entry that matches a row
// counts. TestBar fails if no row needs an entry.
var above = []struct {
	re     *regexp.Regexp
	factor float64
	why    string
}{
	{regexp.MustCompile(`^misses: list in random order`), 600, waits},
	{regexp.MustCompile(`^misses: chase indices`), 90, waits},
	{regexp.MustCompile(`^stacks: 1000000 calls deep on a new stack`), 40, faults},
	{regexp.MustCompile(`^host$`), 25, "the function costs 15 units besides, which the row leaves out"},
}

// checkBar returns the problems of a calibration: units that take too long, rows that were not
// measured, and exceptions that no row needs.
func checkBar(rows []row) (problems []string) {
	tiers := map[gyr.Tier]bool{}
	for _, t := range []gyr.Tier{gyr.TierInterp, gyr.TierNative} {
		for i := range rows {
			tiers[t] = tiers[t] || rows[i].figure(t) != nil
		}
	}
	needed := make([]bool, len(above))
	for i := range rows {
		r := &rows[i]
		limit := float64(bar)
		k := exceptionOf(r.Name)
		if k >= 0 {
			limit = max(limit, above[k].factor)
		}
		for t := range tiers {
			switch q := r.loops(t); {
			case !tiers[t]:
			case q == 0 && r.N > 0: // an operation may cost nothing beside others
				problems = append(problems, fmt.Sprintf("%s: %s: %s", r.Name, t, notMeasured))
			case q > limit:
				problems = append(problems, fmt.Sprintf("%s: %s: a unit takes as long as %.1f of the plain loop, at most %.1f", r.Name, t, q, limit))
			}
		}
		if k >= 0 && r.worst() > bar {
			needed[k] = true
		}
	}
	for k := range above {
		if !needed[k] {
			problems = append(problems, fmt.Sprintf("no row needs the exception %s any more", above[k].re))
		}
	}
	return problems
}

// exceptionOf returns the number of the first exception for a row, -1 if there is none.
func exceptionOf(name string) int {
	for k := range above {
		if above[k].re.MatchString(name) {
			return k
		}
	}
	return -1
}

// printAbove prints the exceptions.
func printAbove(out io.Writer) {
	p := newPrinter(out, "rows", "plain loops at most", "why")
	for _, e := range above {
		p.row("`"+e.re.String()+"`", fmt.Sprintf("%.0f", e.factor), e.why)
	}
	p.end()
}
