//go:build go1.17

package probe

import (
	"flag"
	"strings"
	"time"
)

// Benchmarks run a few times, not as long as they would to be measured: what they compute counts
// here, not how fast. A benchmark that takes turns with several inputs reaches the first ones.
const (
	onceOnly   = "1x"
	fewTimes   = "16x"
	fewTimesIn = 250 * time.Millisecond // a benchmark that takes longer once runs once
)

// othersTime is the most processor time of benchmarks, and parts of them, that are not measured, if any
// is. Their inputs may be much larger.
const othersTime = stuckTime / 4

// benches runs the package's benchmarks with functions watched: what is measured first.
func (w *worker) benches() {
	often, pattern := flag.Lookup("test.benchtime"), flag.Lookup("test.bench")
	if often == nil || pattern == nil {
		return
	}
	w.begin(Benches)
	for _, f := range []*flag.Flag{often, pattern} {
		defer flag.Set(f.Name, f.Value.String())
	}
	watchOn(inBenches)
	allowed := w.phaseBudget()
	// bench runs a benchmark, or a part of it if the name has slashes.
	bench := func(x Test, name string, match func(pattern, name string) bool) {
		if w.skipped(x.Name) || !allowed.left() {
			return
		}
		flag.Set(pattern.Name, name)
		once := newBudget(fewTimesIn)
		for _, times := range []string{onceOnly, fewTimes} {
			w.enter(x.Name)
			runs(x.Name)
			flag.Set(often.Name, times)
			if w.suite.Named([]Test{x}, match); w.order.Brief || !once.left() {
				return
			}
		}
	}
	var others []Test
	for _, x := range w.inOrder(w.suite.Benches, MoreBenches) {
		parts, measured := w.order.partsOf(x.Name)
		if !measured || len(parts) > 0 {
			others = append(others, x)
		}
		switch {
		case len(parts) > 0:
			for _, part := range parts {
				bench(x, part, equal)
			}
		case measured:
			bench(x, x.Name, equal)
		}
	}
	if len(w.order.First) > 0 {
		allowed = w.budgetOf(othersTime)
	}
	for _, x := range others {
		bench(x, x.Name+anyParts, func(string, string) bool { return allowed.left() })
	}
	w.enter(Benches)
	watchOn(ownCalls)
	for _, r := range watched(inBenches) {
		w.write(r)
	}
}

// anyParts follows the name of a benchmark in a pattern for all its parts. The testing package asks for
// as many levels as the pattern has.
const anyParts = "/*/*/*/*"

func equal(pattern, name string) bool { return pattern == name }

// partsOf are the measured parts of a benchmark, none if all are; measured reports whether any is.
func (o *Order) partsOf(name string) (parts []string, measured bool) {
	for _, first := range o.First {
		measured = measured || first == name
	}
	for _, p := range o.Parts {
		if strings.HasPrefix(p, name+"/") {
			parts = append(parts, p)
		}
	}
	return parts, measured
}
