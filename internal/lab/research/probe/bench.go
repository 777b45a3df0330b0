//go:build go1.17

package probe

import (
	"flag"
	"time"
)

// Benchmarks run a few times, not as long as they would to be measured: what they compute counts
// here, not how fast. A benchmark that takes turns with several inputs reaches the first ones.
const (
	onceOnly   = "1x"
	fewTimes   = "16x"
	fewTimesIn = 250 * time.Millisecond // a benchmark that takes longer once runs once
)

// benches runs the package's benchmarks with functions watched.
func (w *worker) benches() {
	often := flag.Lookup("test.benchtime")
	if often == nil {
		return
	}
	w.begin(Benches)
	usual := often.Value.String()
	defer flag.Set(often.Name, usual)
	watchOn(inBenches)
	allowed := w.phaseBudget()
	for _, x := range w.inOrder(w.suite.Benches, MoreBenches) {
		if w.skipped(x.Name) || !allowed.left() {
			continue
		}
		w.enter(x.Name)
		runs(x.Name)
		flag.Set(often.Name, onceOnly)
		once := newBudget(fewTimesIn)
		x.Run(nil)
		if once.left() && !w.order.Brief {
			w.enter(x.Name)
			runs(x.Name)
			flag.Set(often.Name, fewTimes)
			x.Run(nil)
		}
	}
	w.enter(Benches)
	watchOn(ownCalls)
	for _, r := range watched(inBenches) {
		w.write(r)
	}
}
