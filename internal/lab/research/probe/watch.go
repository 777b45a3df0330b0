//go:build go1.17

package probe

import (
	"fmt"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// The overlay puts a call of Enter at the start of the functions of the package under test. While
// the package's tests run, and then while its benchmarks do, arguments and answers are noted, and
// copies are kept as inputs for later. Afterwards only the number of inputs that reach a function is
// counted.

// The most records of a function, copies of its inputs, and counted inputs.
const (
	mostRecords = 64
	mostSeeds   = 16
	mostReached = 64
	mostEntered = 400
	mostNoted   = 2000 // calls whose inputs are looked at while tests or benchmarks run
)

// Looking at large inputs takes long. A function's first calls are looked at, others up to so many
// bytes of text.
const (
	alwaysNoted  = 4
	mostShown    = 1 << 20 // of a function
	mostShownAll = 24 << 20
)

// A phase is what runs while functions are watched.
type phase string

const (
	ownCalls  phase = "" // the probe's own calls
	inTests   phase = "test "
	inBenches phase = "bench "
	inFloor   phase = "floor " // the calls of one benchmark are counted (floor.go)
)

var watch watching

type watching struct {
	off int32 // not 0 while several goroutines call; atomic
	sync.Mutex
	phase     phase
	reports   map[string]*Report         // by phase and function
	known     map[string]map[string]bool // inputs, by phase and function
	seeds     map[string][]seed
	instances map[string][]interface{}   // generic functions as they were called, by name
	called    map[string]int             // calls by tests and benchmarks, by their names and the function's
	running   string                     // test or benchmark
	entered   map[string]int             // calls since the count or the phase began
	reached   map[string]map[uint64]bool // inputs since the count began
	shown     map[string]int             // bytes of inputs that were looked at, since the count or the phase began
	tally     *tally                     // of a benchmark that runs
}

// copyCost is the number of bytes of text that take as long as the copy of a value.
const copyCost = 16

// looked adds to what was looked at. The lock is held.
func (w *watching) looked(name string, size int) {
	w.shown[name] += size
	w.shown[""] += size
}

func watchOn(p phase) {
	watch.Lock()
	defer watch.Unlock()
	watch.phase, watch.entered, watch.shown = p, nil, map[string]int{}
	if p != ownCalls {
		watch.entered = map[string]int{}
	}
	if watch.reports == nil {
		watch.reports, watch.known = map[string]*Report{}, map[string]map[string]bool{}
		watch.seeds, watch.called = map[string][]seed{}, map[string]int{}
	}
}

// Enter notes that a function begins. It gets pointers to the receiver, if any, and to the
// parameters. The function calls the returned function at its end, with pointers to the results.
func Enter(name string, method bool, params ...interface{}) func(results ...interface{}) {
	if !watches() || tallied(name, params) || !wanted(name) {
		return nothing
	}
	all := values(params)
	receiver, args := all[:0], all
	if method {
		receiver, args = all[:1], all[1:]
	}
	_, file, _, _ := runtime.Caller(2)
	direct := strings.HasSuffix(file, "_test.go")
	place := ""
	if direct {
		place = placeOf(name)
	}
	before, told := keyOf(place, all)
	key, isNew := reach(name, before, len(before))
	if !isNew || !told {
		return nothing
	}
	input, size := cloneCounted(all)
	o := observe(receiver, args)
	return func(results ...interface{}) {
		list := values(results)
		flags := o.end(list)
		text := show(list, false) + nilResults(name, list) + written(args) + o.left()
		c := Case{before, clip(text)}
		watch.Lock()
		defer watch.Unlock()
		watch.looked(name, len(text)+copyCost*size)
		r := watch.reports[key]
		if r == nil {
			r = &Report{Name: key, Flags: map[string]Flags{}}
			watch.reports[key] = r
		}
		f := r.Flags[name]
		f.Add(flags)
		r.Flags[name] = f
		r.Cases = append(r.Cases, c)
		if direct {
			r.Direct = append(r.Direct, c)
		}
		if len(watch.seeds[key]) < mostSeeds {
			watch.seeds[key] = append(watch.seeds[key], seed{input, place})
		}
	}
}

// runs notes which test or benchmark runs.
func runs(name string) {
	watch.Lock()
	watch.running = name
	watch.Unlock()
}

// placeOf tells a call by a test or a benchmark from its other calls of the function. Tests that run in
// parallel have no place: their order is not settled.
func placeOf(name string) string {
	watch.Lock()
	defer watch.Unlock()
	if watch.running == "" {
		return ""
	}
	key := watch.running + " " + name
	watch.called[key]++
	return fmt.Sprintf("call %d in %s", watch.called[key], watch.running)
}

func nothing(...interface{}) {}

// watchParts turns watching off, without a lock, and on again.
func watchParts(off bool) {
	var n int32
	if off {
		n = 1
	}
	atomic.StoreInt32(&watch.off, n)
}

// watches reports whether watching is on.
func watches() bool { return atomic.LoadInt32(&watch.off) == 0 }

// values are the present targets of pointers.
func values(pointers []interface{}) []reflect.Value {
	var list []reflect.Value
	for _, p := range pointers {
		v := reflect.New(reflect.TypeOf(p).Elem()).Elem()
		v.Set(reflect.ValueOf(p).Elem())
		list = append(list, v)
	}
	return list
}

// wanted reports whether a call is examined: in a loop only some are.
func wanted(name string) bool {
	watch.Lock()
	defer watch.Unlock()
	if watch.phase != ownCalls {
		watch.entered[name]++
		r := watch.reports[string(watch.phase)+name]
		return watch.entered[name] <= mostNoted && (r == nil || len(r.Cases) < mostRecords) && affordable(name)
	}
	if watch.entered == nil || watch.entered[name] >= mostEntered || len(watch.reached[name]) >= mostReached {
		return false
	}
	watch.entered[name]++
	if !affordable(name) {
		countReached(name, uint64(watch.entered[name]))
		return false
	}
	return true
}

// affordable reports whether a call's input may be looked at. The lock is held.
func affordable(name string) bool {
	return watch.entered[name] <= alwaysNoted || watch.shown[name] < mostShown && watch.shown[""] < mostShownAll
}

// countReached notes that a function is reached with an input. The lock is held.
func countReached(name string, input uint64) {
	if watch.reached[name] == nil {
		watch.reached[name] = map[uint64]bool{}
	}
	watch.reached[name][input] = true
}

// reach notes an input. In a phase, it returns the key of the function's records, and whether the
// input is new.
func reach(name, input string, size int) (key string, isNew bool) {
	watch.Lock()
	defer watch.Unlock()
	watch.looked(name, size)
	if watch.phase == ownCalls {
		countReached(name, hash(input))
		return "", false
	}
	key = string(watch.phase) + name
	if watch.known[key] == nil {
		watch.known[key] = map[string]bool{}
	}
	was := watch.known[key][input]
	watch.known[key][input] = true
	return key, !was
}

// reachedAnew resets the counts.
func reachedAnew() {
	watch.Lock()
	watch.entered, watch.reached, watch.shown = map[string]int{}, map[string]map[uint64]bool{}, map[string]int{}
	watch.Unlock()
}

// reached are the counts.
func reached() map[string]int {
	watch.Lock()
	defer watch.Unlock()
	m := map[string]int{}
	for name, inputs := range watch.reached {
		m[name] = len(inputs)
	}
	watch.entered, watch.reached = nil, nil
	return m
}

// seedsOf are copies of the arguments that a function got in a phase. Tests may call a generic
// function with other types than those of f.
func seedsOf(p phase, name string, f reflect.Type) (list []seed) {
	watch.Lock()
	defer watch.Unlock()
	for _, s := range watch.seeds[string(p)+name] {
		if fits(f, s.list) {
			list = append(list, s)
		}
	}
	return list
}

// watched are reports of a phase's calls, by name. Their names begin with the phase.
func watched(p phase) []*Report {
	watch.Lock()
	defer watch.Unlock()
	var names []string
	for name := range watch.reports {
		if strings.HasPrefix(name, string(p)) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	var list []*Report
	for _, name := range names {
		list = append(list, watch.reports[name])
	}
	return list
}
