//go:build go1.17

package probe

import (
	"flag"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"time"
)

// What a benchmark's iteration must read bounds its time from below. An element of an input must be
// read if the answer changes with it: code that does not look at it gives the same answer. So the
// benchmark runs with few and with more iterations, the calls that it makes itself are counted, and
// some elements of their inputs are changed one by one. What the setup calls does not grow with the
// iterations.
//
// Everything uncertain counts as not read: elements in the unexported memory of an object, which
// may keep a digest of them; elements that an answer merely contains, as a part of its input does;
// maps; and inputs with which two equal calls answer differently.

// Floor is the name of the report on a benchmark.
const Floor = "floor"

const (
	fewRounds   = 2 // iterations; of one, go test would not repeat the setup
	moreRounds  = 10
	mostTallied = 5000 // calls of a run that are looked at
	mostInputs  = 4    // inputs of a function that are changed
	mostSpans   = 4096 // lists of an input
	mostChanged = 40   // elements of an input
	leastBytes  = 256  // smaller inputs do not bound anything
	floorTime   = 8 * time.Second
)

// A tally counts the calls that a benchmark makes itself.
type tally struct {
	calls map[string]int             // by function and input
	bytes map[string]float64         // of the input
	seeds map[string][]reflect.Value // copies of some inputs
	named map[string]int             // inputs with a copy, by function
	total int
}

// tallied counts a call if a benchmark is tallied. It reports whether that is so.
func tallied(name string, params []interface{}) bool {
	watch.Lock()
	t, on := watch.tally, watch.phase == inFloor
	watch.Unlock()
	if t == nil {
		return on
	}
	// A value that prints itself calls functions too, but not from a test.
	if _, file, _, _ := runtime.Caller(3); strings.HasSuffix(file, "_test.go") {
		all := values(params)
		t.call(name, show(all, true), all)
	}
	return true
}

// call counts a call.
func (t *tally) call(name, input string, all []reflect.Value) {
	watch.Lock()
	defer watch.Unlock()
	if t.total >= mostTallied {
		return
	}
	t.total++
	key := name + " " + fmt.Sprint(hash(input))
	t.calls[key]++
	if _, known := t.bytes[key]; known {
		return
	}
	t.bytes[key] = 0
	for _, s := range spansOf(all) {
		t.bytes[key] += s.bytes()
	}
	if t.bytes[key] >= leastBytes && t.named[name] < mostInputs {
		t.named[name]++
		t.seeds[key] = cloneAll(all)
	}
}

// floor reports how many bytes an iteration of a benchmark must read.
func (w *worker) floor(benchmark string) {
	w.enter(Floor)
	r := &Report{Name: Floor, Reads: map[string]float64{}}
	pattern, often := flag.Lookup("test.bench"), flag.Lookup("test.benchtime")
	if pattern == nil || often == nil || w.suite.Named == nil {
		w.write(r)
		return
	}
	for _, f := range []*flag.Flag{pattern, often} {
		defer flag.Set(f.Name, f.Value.String())
	}
	flag.Set(pattern.Name, benchmark)
	t := &tally{bytes: map[string]float64{}, seeds: map[string][]reflect.Value{}, named: map[string]int{}}
	var runs [2]map[string]int
	watchOn(inFloor)
	for i, n := range []int{fewRounds, moreRounds} {
		flag.Set(often.Name, fmt.Sprint(n, "x"))
		t.calls, t.total = map[string]int{}, 0
		watch.Lock()
		watch.tally = t
		watch.Unlock()
		w.enter(Floor)
		w.suite.Named(append(w.suite.Benches[:len(w.suite.Benches):len(w.suite.Benches)], MoreBenches...), equal)
		watch.Lock()
		watch.tally = nil
		watch.Unlock()
		if runs[i] = t.calls; t.total >= mostTallied {
			w.write(r)
			return
		}
	}
	watchOn(ownCalls)
	allowed := newBudget(floorTime)
	needed := map[string][2]float64{} // of changed inputs: bytes that must be read, and all
	for _, key := range sortedNames(t.seeds) {
		name := key[:strings.LastIndexByte(key, ' ')]
		if f := w.fitting(name, t.seeds[key]); f != nil && runs[1][key] > runs[0][key] {
			c := &callee{name: name, f: reflect.ValueOf(f), method: name[0] == '(', rest: newSettler()}
			part := w.mustRead(c, t.seeds[key], allowed)
			n := needed[name]
			needed[name] = [2]float64{n[0] + part*t.bytes[key], n[1] + t.bytes[key]}
		}
	}
	for key, n := range runs[1] {
		name := key[:strings.LastIndexByte(key, ' ')]
		if part := needed[name]; part[0] > 0 && n > runs[0][key] {
			r.Reads[name] += float64(n-runs[0][key]) / (moreRounds - fewRounds) * t.bytes[key] * part[0] / part[1]
		}
	}
	w.write(r)
}

func sortedNames(m map[string][]reflect.Value) []string {
	var list []string
	for name := range m {
		list = append(list, name)
	}
	sort.Strings(list)
	return list
}

// A span is a list of flat elements in an input.
type span struct {
	path []int
	n    int
	size uintptr
}

func (s span) bytes() float64 { return float64(s.n) * float64(s.size) }

// spansOf are the lists that a caller can write to, or that are texts.
func spansOf(list []reflect.Value) []span {
	var spans []span
	var walk func(v reflect.Value, path []int, deep int)
	walk = func(v reflect.Value, path []int, deep int) {
		if deep > 2*depth || len(spans) >= mostSpans || !v.IsValid() {
			return
		}
		switch v.Type() {
		case readerType, writerType, errorType, contextType, streamIn, streamOut:
			return
		}
		inner := func(v reflect.Value, i int) { walk(v, append(path[:len(path):len(path)], i), deep+1) }
		switch v.Kind() {
		case reflect.String:
			spans = append(spans, span{path, v.Len(), 1})
		case reflect.Slice, reflect.Array:
			if v.Kind() == reflect.Array && !v.CanAddr() {
				return
			}
			if flat(v.Type().Elem()) {
				spans = append(spans, span{path, v.Len(), v.Type().Elem().Size()})
				return
			}
			for i := 0; i < v.Len(); i++ {
				inner(v.Index(i), i)
			}
		case reflect.Struct:
			for i := 0; i < v.NumField(); i++ {
				if v.Type().Field(i).PkgPath == "" {
					inner(v.Field(i), i)
				}
			}
		case reflect.Ptr:
			if !v.IsNil() {
				inner(v.Elem(), 0)
			}
		case reflect.Interface:
			if !v.IsNil() && v.Elem().Kind() == reflect.Slice {
				inner(v.Elem(), 0)
			}
		}
	}
	for i, v := range list {
		walk(v, []int{i}, 0)
	}
	return spans
}

// flat reports whether values of a type are numbers.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return true
	}
	return false
}

// An answered is what a call made of its arguments.
type answered struct {
	text    string // of the results
	after   []reflect.Value
	results []region
}

// answer calls a function with its own copies of arguments.
func (c *callee) answer(list []reflect.Value) *answered {
	x := invoke(c.name, c.f, list, c.method, c.rest)
	return &answered{x.panicked + show(x.results, false) + written(list) + getters(x.results), list, regionsOf(x.results)}
}

// mustRead is the least part of an input's bytes that the function must read, by a sample.
func (w *worker) mustRead(c *callee, seed []reflect.Value, allowed budget) float64 {
	origin, again := c.answer(cloneAll(seed)), c.answer(cloneAll(seed))
	if origin.text != again.text {
		return 0
	}
	spans, all := spansOf(seed), 0.0
	for _, s := range spans {
		all += s.bytes()
	}
	rng := rand.New(rand.NewSource(int64(hash(c.name))))
	needles := needlesOf(seed)
	tried, needed := 0, 0
	for tried < mostChanged && allowed.left() {
		at := rng.Float64() * all
		var s span
		for _, s = range spans {
			if at < s.bytes() {
				break
			}
			at -= s.bytes()
		}
		i := min(int(at/float64(s.size)), s.n-1)
		tried++
		for _, to := range othersOf(listAt(seed, s), i, needles) {
			w.enter(Floor)
			list := cloneAll(seed)
			s.set(list, i, to)
			was, now := elementOf(seed, s, i), elementOf(list, s, i)
			if was != now && dependsOn(s, i, origin, c.answer(list), was, now) {
				needed++
				break
			}
		}
	}
	if tried < mostChanged/2 {
		return 0
	}
	// The lower end of an interval for the true part: a sample of 40 that are all needed shows 96 %.
	p := float64(needed) / float64(tried)
	return math.Max(0, p-1.64*math.Sqrt(math.Max(p*(1-p), 1/float64(tried))/float64(tried)))
}

// dependsOn reports whether a call made more of an input than to hand an element on: a result that
// is a part of the input contains the element anyway, and so does the input after the call. was and
// now are the element's values in the inputs of a and b.
func dependsOn(s span, i int, a, b *answered, was, now string) bool {
	own := s.path[0]
	mine := regionsOf(b.after[own : own+1])
	shares := func(list []region) bool {
		return len(list) >= mostRegions || len(mine) >= mostRegions || meet(mine, list, func(_, _ region) bool { return true })
	}
	if a.text != b.text && !shares(b.results) {
		return true
	}
	for k := range b.after {
		if k != own && show(a.after[k:k+1], false) != show(b.after[k:k+1], false) && !shares(regionsOf(b.after[k:k+1])) {
			return true
		}
	}
	left, leftNow := elementOf(a.after, s, i), elementOf(b.after, s, i)
	if left == "" || leftNow == "" || len(mine) >= mostRegions {
		return false
	}
	if left != leftNow && (left != was || leftNow != now) {
		return true // such as the element's square in its place
	}
	for k := range mine {
		if meet(mine[k:k+1], mine[k+1:], func(_, _ region) bool { return true }) {
			return false
		}
	}
	equal := cloneAll(a.after[own : own+1])
	changed := cloneAll(b.after[own : own+1])
	s.set(append(make([]reflect.Value, own), equal...), i, reflect.Value{})
	s.set(append(make([]reflect.Value, own), changed...), i, reflect.Value{})
	return show(equal, false) != show(changed, false)
}

// listAt is the list of a span, invalid if it is not there.
func listAt(list []reflect.Value, s span) (none reflect.Value) {
	v := list[s.path[0]]
	for _, k := range s.path[1:] {
		switch v.Kind() {
		case reflect.Ptr, reflect.Interface:
			if v.IsNil() {
				return none
			}
			v = v.Elem()
		case reflect.Slice, reflect.Array:
			if k >= v.Len() {
				return none
			}
			v = v.Index(k)
		case reflect.Struct:
			v = v.Field(k)
		}
	}
	return v
}

// elementOf is the text of an element, empty if it is not there.
func elementOf(list []reflect.Value, s span, i int) string {
	v := listAt(list, s)
	if !v.IsValid() || i >= v.Len() {
		return ""
	}
	return show([]reflect.Value{v.Index(i)}, false)
}

// set gives an element another value; without one, that of the zero.
func (s span) set(list []reflect.Value, i int, to reflect.Value) {
	apply(list[s.path[0]], s.path[1:], func(v reflect.Value) {
		if v.Kind() == reflect.String {
			c := byte(0)
			if to.IsValid() {
				c = byte(to.Uint())
			}
			text := v.String()
			v.SetString(text[:i] + string([]byte{c}) + text[i+1:])
			return
		}
		if !to.IsValid() {
			to = reflect.Zero(v.Type().Elem())
		}
		v.Index(i).Set(to.Convert(v.Type().Elem()))
	})
}

// needlesOf are the bytes among the arguments: a function may search for one of them.
func needlesOf(seed []reflect.Value) (list []byte) {
	for _, v := range seed {
		switch v.Kind() {
		case reflect.Uint8:
			list = append(list, byte(v.Uint()))
		case reflect.Int32:
			list = append(list, byte(v.Int()))
		case reflect.String:
			if v.Len() > 0 && v.Len() < leastBytes {
				list = append(list, v.String()[0])
			}
		case reflect.Slice:
			if v.Type().Elem().Kind() == reflect.Uint8 && v.Len() > 0 && v.Len() < leastBytes {
				list = append(list, byte(v.Index(0).Uint()))
			}
		}
	}
	return list
}

// othersOf are other values for an element: near it, and outside of the list's range.
func othersOf(v reflect.Value, i int, needles []byte) (list []reflect.Value) {
	add := func(x interface{}) { list = append(list, reflect.ValueOf(x)) }
	e := v.Index(i)
	switch e.Kind() {
	case reflect.Bool:
		add(!e.Bool())
	case reflect.Uint8:
		x := byte(e.Uint())
		for _, c := range append([]byte{x ^ 1, x ^ 0x20, 0, '\n', '"', 0xff}, needles...) {
			add(c)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		lo, hi := e.Int(), e.Int()
		for k := 0; k < v.Len(); k++ {
			if x := v.Index(k).Int(); x < lo {
				lo = x
			} else if x > hi {
				hi = x
			}
		}
		for _, x := range []int64{e.Int() ^ 1, hi + 1, lo - 1, 0} {
			if !e.OverflowInt(x) {
				add(x)
			}
		}
	case reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		hi := e.Uint()
		for k := 0; k < v.Len(); k++ {
			if x := v.Index(k).Uint(); x > hi {
				hi = x
			}
		}
		for _, x := range []uint64{e.Uint() ^ 1, hi + 1, 0} {
			if !e.OverflowUint(x) {
				add(x)
			}
		}
	case reflect.Float32, reflect.Float64:
		lo, hi := e.Float(), e.Float()
		for k := 0; k < v.Len(); k++ {
			lo, hi = math.Min(lo, v.Index(k).Float()), math.Max(hi, v.Index(k).Float())
		}
		for _, x := range []float64{e.Float()/3 + 1, 2*math.Abs(hi) + 1, -2*math.Abs(lo) - 1, math.NaN()} {
			add(x)
		}
	}
	return list
}
