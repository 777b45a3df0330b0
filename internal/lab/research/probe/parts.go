package probe

import (
	"reflect"
	"time"
)

// Parts of the examination of a function beside the calls with small inputs. The name of a part's
// report is the part's with the function's.
const (
	Derived    = "derived"    // with inputs like those of benchmarks and tests
	Disturbed  = "disturbed"  // with memory that changes between calls
	Concurrent = "concurrent" // by several goroutines
)

// partsTime is the most processor time of all parts of all functions. Changed functions come first.
const partsTime = 10 * time.Second

// A callee is a function with the inputs that benchmarks and tests gave it.
type callee struct {
	name    string
	f       reflect.Value
	method  bool
	origins [][]reflect.Value
	benches int // so many of the origins are benchmarks'
	rest    *settler
}

// parts examines a function further, if a change may show there and inputs are known.
func (w *worker) parts(r *Report, allowed budget) {
	function := w.pkg.Functions[r.Name]
	if function == nil || !w.concerns(r) {
		return
	}
	c := &callee{name: r.Name, f: reflect.ValueOf(function), method: r.Name[0] == '(', rest: newSettler()}
	seeds := seedsOf(inBenches, r.Name)
	c.benches = min(len(seeds), mostOrigins)
	c.origins = append(c.origins, seeds[:c.benches]...)
	seeds = seedsOf(inTests, r.Name)
	c.origins = append(c.origins, seeds[:min(len(seeds), mostTests)]...)
	if len(c.origins) == 0 {
		return
	}
	for _, part := range []struct {
		name string
		run  func(*worker, *Report, *callee)
	}{
		{Derived, (*worker).derived},
		{Disturbed, (*worker).disturbed},
		{Concurrent, (*worker).concurrent},
	} {
		name := part.name + " " + r.Name
		if w.skipped(name) || !allowed.left() {
			continue
		}
		w.begin(name)
		x := &Report{Name: name}
		part.run(w, x, c)
		w.write(x)
	}
}

// concerns reports whether a function is one of the changed ones, or calls one.
func (w *worker) concerns(r *Report) bool {
	for _, name := range w.order.Changed {
		if name == r.Name || r.Reached[name] > 0 {
			return true
		}
	}
	return len(w.order.Changed) == 0
}
