//go:build go1.17

package probe

import (
	"reflect"
	"strings"
	"time"
)

// Parts of the examination of a function beside the calls with small inputs. The name of a part's
// report is the part's with the function's.
const (
	Derived    = "derived"    // with inputs like those of benchmarks and tests
	Disturbed  = "disturbed"  // with memory that changes between calls
	Failing    = "failing"    // with functions, readers and writers that fail
	Concurrent = "concurrent" // by several goroutines
)

// partsTime is the most processor time of all parts of all functions. Changed functions come first.
// Types have a time of their own (allMixedTime).
const partsTime = 8 * time.Second

// A callee is a function with the inputs that benchmarks and tests gave it.
type callee struct {
	name    string
	f       reflect.Value
	method  bool
	origins [][]reflect.Value
	places  []string // of the origins
	benches int      // so many of the origins are benchmarks'
	rest    *settler
}

func newCallee(name string, function interface{}) *callee {
	c := &callee{name: name, f: reflect.ValueOf(function), method: name[0] == '(', rest: newSettler()}
	seeds := seedsOf(inBenches, name, c.f.Type())
	c.benches = min(len(seeds), mostOrigins)
	tests := seedsOf(inTests, name, c.f.Type())
	for _, s := range append(seeds[:c.benches:c.benches], tests[:min(len(tests), mostTests)]...) {
		c.origins, c.places = append(c.origins, s.list), append(c.places, s.place)
	}
	return c
}

// place is where tests or benchmarks call with an origin.
func (c *callee) place(k int) string {
	if k >= len(c.places) {
		return ""
	}
	return c.places[k]
}

// again calls a function once more with inputs of another package's benchmarks, to learn which
// functions it reaches.
func (w *worker) again(name string) *Report {
	r := &Report{Name: name}
	function := w.pkg.Functions[name]
	if function == nil {
		return r
	}
	c := newCallee(name, function)
	reachedAnew()
	for _, origin := range c.origins {
		w.enter(name)
		plainly(c.f, cloneAll(origin))
	}
	r.Reached = reached()
	return r
}

// parts examines a function or a type further, if a change may show there and inputs are known.
func (w *worker) parts(r *Report, allowed budget) {
	if !w.concerns(r) {
		return
	}
	part := func(part string, without string, left bool, run func(x *Report)) {
		x := &Report{Name: part + " " + r.Name, Unsupported: without}
		switch {
		case w.skipped(x.Name):
			return
		case without != "":
		case !left:
			x.Unsupported = "no time was left"
		default:
			w.begin(x.Name)
			run(x)
		}
		w.write(x)
	}
	function := w.pkg.Functions[r.Name]
	if function == nil {
		if t := w.typeNamed(strings.TrimPrefix(r.Name, "type ")); t != nil {
			start := processTime()
			part(Concurrent, "", w.together < allMixedTime, func(x *Report) {
				if w.order.Brief { // the race detector watches
					w.mixed(x, t)
				}
			})
			w.together += processTime() - start
		}
		return
	}
	c, without := newCallee(r.Name, function), ""
	if len(c.origins) == 0 {
		without = "no benchmark or test calls it"
	}
	part(Derived, without, allowed.left(), func(x *Report) { w.derived(x, c) })
	part(Disturbed, without, allowed.left(), func(x *Report) { w.disturbed(x, c) })
	part(Failing, "", allowed.left(), func(x *Report) { w.failing(x, c) })
	part(Concurrent, without, allowed.left(), func(x *Report) { w.concurrent(x, c) })
}

// concerns reports whether a function is one of the changed ones, or calls one. For the race
// detector only such ones are ordered.
func (w *worker) concerns(r *Report) bool {
	if w.order.Brief {
		return true
	}
	for _, name := range w.order.Changed {
		if name == r.Name || r.Reached[name] > 0 {
			return true
		}
	}
	return len(w.order.Changed) == 0
}
