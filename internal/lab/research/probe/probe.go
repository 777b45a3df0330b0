//go:build go1.17

// Package probe calls the functions of a package and reports what they return and which memory they
// share. It is compiled twice. gyr contains it to read its reports. Test binaries of two versions
// of a package contain it to write them; there its source is laid over the module (go's -overlay).
// So it uses only the standard library and the language of Go 1.17, which each file's build
// constraint asks for: the module may be older.
//
// # What is called
//
// First the package's own tests, examples and benchmarks (bench.go) run while its functions are
// watched (watch.go): their arguments and answers are noted, and copies of the arguments are kept.
// Then functions are called with these copies and with random values (values.go). Types get
// sequences of method calls, on objects that a constructor makes (sequence.go).
//
// A function that the change concerns is also called with inputs that derive from those of
// benchmarks and tests (derive.go), with memory that changes between calls, and by several
// goroutines (disturb.go), and with functions, readers and writers that fail (failing.go). Methods of
// one object are called by several goroutines (mixed.go). parts.go says for which functions and inputs.
// Generic functions have the type arguments that tests use (instance.go).
//
// What an iteration of a benchmark must read of its inputs is found by changing their elements
// (floor.go).
//
// # What is observed
//
// A function gets the same inputs in both versions: they derive from its name, the number of the
// case, and literals in the package's sources. The probe notes arguments and results of each case
// as text, so both versions are compared where their inputs are equal (shared.go). By addresses it also notes
// whether arguments and results share memory (memory.go). None of that is wrong by itself: a
// function may return a part of its input. But a version that is only meant to be faster should
// neither answer nor share differently. Goroutines that a call starts come to rest before the next
// call (settle.go), so their order is not observed.
//
// # State
//
// Variables of the package that calls change are examined, too (state.go): which functions change
// them, and which functions' answers depend on them.
package probe

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// Variables of the environment: the file with an Order, and the file for the reports.
const (
	OrderFile  = "GYR_RESEARCH_PROBE_ORDER"
	ReportFile = "GYR_RESEARCH_PROBE_REPORT"
)

// An Order says what a process calls.
type Order struct {
	Functions []string        // called in this order
	Tests     bool            // run the package's tests first
	Benches   bool            // and its benchmarks after them
	First     []string        // tests and benchmarks that run before the others
	Parts     []string        // sub-benchmarks that run before others of theirs, by their whole names
	Outside   bool            // the tests and benchmarks are another package's: functions are only called with inputs like theirs
	Skip      []string        // functions, methods and tests that do not end
	Brief     bool            // for the race detector: tests and benchmarks only give inputs
	Together  map[string]bool // functions that goroutines call with one receiver, because the parent does not write to it
	Strings   []string        // materials for inputs, beside random ones
	Ints      []int64
	News      []int64            // numbers that stand in one version only, and may be limits
	Floats    []float64          // and others
	Words     []string           // and texts
	Changed   []string           // functions
	State     []string           // variables to examine, beside those that calls change
	Limits    map[string]int     // most cases of a report; without an entry, the usual number
	Types     map[string]*Shared // types that differ between the versions
	Nils      map[string]uint64  // by function, as bits: the results for which the parent's text decides between nil and empty
	Misuse    []uint64           // hashes of calls in which the runtime stops the parent (MisuseOf)
	Floor     string             // benchmark whose reads are counted; nothing else is done then
}

// A Package is the overlay's description of the package under test.
type Package struct {
	Functions map[string]interface{} // functions, and methods as functions with the receiver first; nil without known type arguments
	Types     []interface{}          // nil pointers to types of the package
	Named     []string               // names of all its types
	State     map[string]interface{} // pointers to variables
	Floats    Instance               // generic functions and types with float64
}

// An Instance has generic functions and types with type arguments.
type Instance struct {
	Functions map[string]interface{}
	Types     []interface{}
}

// Described is the package under test. A file that the overlay adds to it sets this when the
// program starts.
var Described *Package

// A Suite has tests and benchmarks: those of the package under test, or of one that uses it.
type Suite struct {
	Tests   []Test
	Benches []Test // benchmarks
	// Named runs benchmarks and their parts whose names match those in the flag test.bench, level by level.
	Named func(benches []Test, match func(pattern, name string) bool)
	// Group calls a function with the testing.T of a group of tests, and waits for parallel ones.
	Group func(func(t interface{}))
}

// A Test runs a test or an example under a testing.T, or is a benchmark. Other checks deal with its
// failures.
type Test struct {
	Name string
	Body interface{}         // of a benchmark
	Run  func(t interface{}) // of a test
}

// More and MoreBenches are tests and benchmarks of the external test package.
var More, MoreBenches []Test

// A Case is one call, or one sequence of calls.
type Case struct {
	Args string
	Out  string // the results, or a text that begins with "panic"
}

// Flags are bits for the arguments of a function without the receiver. The first argument has the
// lowest bit.
type Flags struct {
	Input uint64 `json:",omitempty"` // the call writes to it, or after its end
	Alias uint64 `json:",omitempty"` // a result, or the receiver, refers to its memory, and the caller may write there
	Back  uint64 `json:",omitempty"` // a result that the caller may write to refers to its memory
	Later bool   `json:",omitempty"` // a result changes with later calls, or later calls return the same memory
	Own   bool   `json:",omitempty"` // a result that the caller may write to refers to the receiver's memory
	Stay  bool   `json:",omitempty"` // goroutines of the call stay when it is over
}

// Add adds the flags of another call.
func (f *Flags) Add(g Flags) {
	f.Input, f.Alias, f.Back = f.Input|g.Input, f.Alias|g.Alias, f.Back|g.Back
	f.Later, f.Own, f.Stay = f.Later || g.Later, f.Own || g.Own, f.Stay || g.Stay
}

// A Report is the result for one function, or for the call sequences of a type; its name is then
// "type T".
type Report struct {
	Name        string
	Unsupported string             `json:",omitempty"` // why it, or the part, was not called; empty: it was
	Cases       []Case             `json:",omitempty"`
	Direct      []Case             `json:",omitempty"` // those in which tests of the package called it directly
	Flags       map[string]Flags   `json:",omitempty"` // of the function; for a type, of its methods
	Reached     map[string]int     `json:",omitempty"` // watched functions that were called on the way, with the number of inputs
	State       []State            `json:",omitempty"`
	Calls       int                `json:",omitempty"` // by several goroutines
	Together    bool               `json:",omitempty"` // it does not write to its receiver, so goroutines also share that
	Races       string             `json:",omitempty"` // an answer to one of several goroutines that another order of calls does not give
	Reads       map[string]float64 `json:",omitempty"` // bytes that an iteration of a benchmark must read, by function
	Stuck       bool               `json:",omitempty"` // the process ended itself here
	Begins      bool               `json:",omitempty"` // a part begins that may end the process
	Floats      int                `json:",omitempty"` // so many cases, the last ones, are of an instance with floats
	Fault       string             `json:",omitempty"` // the probe itself panicked here
}

// Join adds the cases of another report.
func (r *Report) Join(x *Report) {
	r.Cases, r.Direct = append(r.Cases, x.Cases...), append(r.Direct, x.Direct...)
	if r.Races == "" {
		r.Races = x.Races
	}
	if r.Calls += x.Calls; len(x.Cases)+x.Calls > 0 {
		r.Unsupported = ""
	}
	for name, g := range x.Flags {
		f := r.Flags[name]
		f.Add(g)
		r.Flags[name] = f
	}
}

// runtimePanic is the prefix of the result of a call that the runtime stopped, for example at an
// index out of range. Other panics are the function's own.
const runtimePanic = "panic of the runtime"

// Undefined reports whether a result comes from misuse of a function, and so says nothing.
func Undefined(out string) bool { return strings.Contains(out, runtimePanic) }

// MisuseOf adds the hashes of the calls of a report that are misuse. The other version does not make
// them: where the parent leaves nothing, it could leave a lock that is held, for example.
func MisuseOf(list []uint64, r *Report) []uint64 {
	for _, c := range r.Cases {
		args := ""
		outs := strings.Split(c.Out, Then)
		for i, step := range strings.Split(c.Args, Then) {
			if args += Then + step; i < len(outs) && Undefined(outs[i]) {
				list = append(list, hash(r.Name+args))
			}
		}
	}
	return list
}

// misused reports whether a call is misuse, by the arguments of the steps up to it.
func (w *worker) misused(name string, steps ...string) bool {
	if len(w.misuse) == 0 {
		return false
	}
	if w.special {
		name += Then + floatCase + steps[0]
		steps = steps[1:]
	}
	for _, s := range steps {
		name += Then + s
	}
	return w.misuse[hash(name)]
}

// notCalled is the result of a call that is misuse.
const notCalled = runtimePanic + " of the parent: not called"

// The most calls of a function, or sequences of a type, and the most time for all of them.
const (
	Cases    = 384
	caseTime = 1500 * time.Millisecond
	perSeed  = 8 // calls for a test's input: itself and variants
)

// A worker makes the calls of an order.
type worker struct {
	order Order
	pkg   *Package
	suite *Suite
	out   *json.Encoder
	mu    sync.Mutex
	at    string // the current call

	misuse   map[uint64]bool
	special  bool          // floats may be NaN, infinite and negative zero
	together time.Duration // processor time of calls of types' methods by several goroutines
	blocked  int           // sequences of a type in which a call waited for itself
	since    budget        // of the current call
}

// Main executes the order that the environment names and writes one report per line. Without an
// order it does nothing.
func Main(suite *Suite) error {
	if os.Getenv(OrderFile) == "" {
		return nil
	}
	text, err := os.ReadFile(os.Getenv(OrderFile))
	if err != nil {
		return err
	}
	w := &worker{pkg: Described, suite: suite}
	if err := json.Unmarshal(text, &w.order); err != nil {
		return err
	}
	f, err := os.OpenFile(os.Getenv(ReportFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0666)
	if err != nil {
		return err
	}
	w.out = json.NewEncoder(f)
	process.shared, process.nils = w.order.Types, w.order.Nils
	w.misuse = map[uint64]bool{}
	for _, h := range w.order.Misuse {
		w.misuse[h] = true
	}
	debug.SetMemoryLimit(1 << 30)
	debug.SetGCPercent(400) // less processor time than by default, below the limit
	process.types = map[string]bool{}
	for _, x := range w.pkg.Types {
		process.home = reflect.TypeOf(x).Elem().PkgPath()
	}
	for _, name := range w.pkg.Named {
		process.types[name] = true
	}
	w.remember()
	w.enter("start")
	go w.watchdog()
	defer func() {
		if p := recover(); p != nil {
			w.write(&Report{Name: w.at, Fault: fmt.Sprintf("%v\n%s", p, debug.Stack())})
			os.Exit(3)
		}
	}()
	if w.order.Floor != "" {
		w.floor(w.order.Floor)
		return f.Close()
	}
	if w.order.Tests {
		w.tests()
	}
	if w.order.Benches {
		w.benches()
	}
	w.choose()
	allowed := newBudget(partsTime)
	for _, name := range w.order.Functions {
		if !w.skipped(name) {
			w.enter(name)
			r := w.call(name)
			w.write(r)
			w.parts(r, allowed)
		}
	}
	w.enter("")
	w.write(&Report{Name: "end"})
	return f.Close()
}

// inOrder are tests or benchmarks, those of the order first.
func (w *worker) inOrder(lists ...[]Test) (list []Test) {
	first := map[string]bool{}
	for _, name := range w.order.First {
		first[name] = true
	}
	for _, is := range []bool{true, false} {
		for _, l := range lists {
			for _, x := range l {
				if first[x.Name] == is {
					list = append(list, x)
				}
			}
		}
	}
	return list
}

// call observes one function or type.
func (w *worker) call(name string) *Report {
	if w.order.Outside {
		return w.again(name)
	}
	var observe func(most int) *Report
	most := math.MaxInt32
	if strings.HasPrefix(name, "type ") {
		most = mostSequences
		observe = func(most int) *Report { return w.sequences(name, most) }
	} else {
		observe = func(most int) *Report { return w.function(name, w.pkg.Functions[name], most) }
	}
	r := observe(w.limit(name, most))
	w.withFloats(r, observe)
	return r
}

// begin says that a part begins that may end the process, as a panic of a goroutine does.
func (w *worker) begin(part string) {
	w.enter(part)
	w.write(&Report{Name: part, Begins: true})
}

func (w *worker) write(r *Report) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.out.Encode(r); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (w *worker) enter(name string) {
	w.mu.Lock()
	w.at, w.since = name, newBudget(stuckTime)
	w.mu.Unlock()
	runs("")
}

func (w *worker) skipped(name string) bool {
	for _, s := range w.order.Skip {
		if s == name {
			return true
		}
	}
	return false
}

// stuckTime is the most processor time of one call, or of a test.
const stuckTime = 12 * time.Second

// watchdog ends the process when a call does not return.
func (w *worker) watchdog() {
	for {
		time.Sleep(stuckTime / 20)
		w.mu.Lock()
		at, since := w.at, w.since
		w.mu.Unlock()
		if at != "" && !since.left() {
			w.write(&Report{Name: at, Stuck: true})
			os.Exit(3)
		}
	}
}

// tests runs the package's tests with functions watched.
func (w *worker) tests() {
	w.begin(Tests)
	watchOn(inTests)
	allowed := w.phaseBudget()
	w.suite.Group(func(t interface{}) {
		for _, x := range w.inOrder(w.suite.Tests, More) {
			if !w.skipped(x.Name) && allowed.left() {
				w.enter(x.Name)
				runs(x.Name)
				x.Run(t)
			}
		}
		w.enter(Tests)
	})
	w.enter(Tests)
	watchOn(ownCalls)
	for _, r := range watched(inTests) {
		w.write(r)
	}
}

// phaseBudget is the time in which tests, or benchmarks, may begin.
func (w *worker) phaseBudget() budget { return w.budgetOf(stuckTime) }

// budgetOf is a time, or a part of it if tests and benchmarks only give inputs.
func (w *worker) budgetOf(most time.Duration) budget {
	if w.order.Brief {
		most /= 6
	}
	return newBudget(most)
}

// Parts of a process that run the package's own code.
const (
	Tests   = "tests"
	Benches = "benchmarks"
)

// process has the state of the package under test. A process tests one package.
var process struct {
	home    string                   // its path
	types   map[string]bool          // that it declares, without its tests
	log     string                   // arguments of the calls of functions without results
	initial map[string]reflect.Value // values of its variables before any call

	initialText map[string]string

	shared map[string]*Shared // types that differ between the versions
	nils   map[string]uint64  // Order.Nils
}

// function observes a function, or a method as a function whose first parameter is the receiver. A
// method's name begins with a parenthesis.
func (w *worker) function(name string, function interface{}, most int) *Report {
	r := &Report{Name: name, Flags: map[string]Flags{}}
	if function == nil {
		r.Unsupported = "is not there"
		return r
	}
	m := w.maker(name)
	f := reflect.ValueOf(function)
	method := strings.HasPrefix(name, "(")
	for i := 0; i < f.Type().NumIn(); i++ {
		if t := f.Type().In(i); !m.makeable(t, 0) && !(method && i == 0) {
			r.Unsupported = "takes a " + t.String()
		}
	}
	seeds := seedsOf(inTests, name, f.Type())
	if r.Unsupported != "" && len(seeds) == 0 {
		return r
	}
	reachedAnew()
	var flags Flags
	kept := &keeper{}
	before := w.stateTexts()
	allowed, rest := newBudget(caseTime), newSettler()
	most = min(most, Cases+perSeed*len(seeds))
	inputs := func(i int) []reflect.Value {
		m.begin(i)
		if i < perSeed*len(seeds) {
			list := cloneAll(seeds[i/perSeed].list)
			for n := i % perSeed; n > 0; n /= 2 {
				m.vary(list)
			}
			return list
		}
		if r.Unsupported != "" {
			return nil
		}
		list := make([]reflect.Value, f.Type().NumIn())
		for n := range list {
			k := n
			if i%2 == 1 {
				k = len(list) - 1 - n // later values may derive from earlier ones
			}
			list[k] = reflect.New(f.Type().In(k)).Elem()
			m.fill(list[k], 0, method && k == 0)
		}
		return list
	}
	misused := map[int]bool{}
	for i := 0; len(r.Cases) < most && allowed.left(); i++ {
		w.enter(name)
		all := inputs(i)
		if all == nil {
			break
		}
		before, told := keyOf(placeIn(seeds, i), all)
		if !told {
			continue
		}
		if w.misused(name, before) {
			misused[i] = true
			r.Cases = append(r.Cases, Case{before, notCalled})
			continue
		}
		c := invoke(name, f, all, method, rest)
		r.Cases = append(r.Cases, Case{before, clip(c.out)})
		flags.Add(c.flags)
		if c.panicked == "" {
			kept.add(name, c.results)
		}
	}
	r.Unsupported = ""
	if kept.changed()[name] {
		flags.Later = true
	}
	r.Flags[name] = flags
	r.Reached = reached()
	r.State = w.states(w.changedState(before), f, method, inputs, rest, min(len(r.Cases), stateCases), misused)
	return r
}

// placeIn is the place of a case: it derives from a seed, or has random values.
func placeIn(seeds []seed, i int) string {
	if i >= perSeed*len(seeds) {
		return fmt.Sprintf("case %d", i-perSeed*len(seeds))
	}
	if place := seeds[i/perSeed].place; place != "" {
		return fmt.Sprintf("variant %d of %s", i%perSeed, place)
	}
	return ""
}

// limit is the number of cases of a function.
func (w *worker) limit(name string, usual int) int {
	if n, ok := w.order.Limits[name]; ok {
		return min(n, usual)
	}
	return usual
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

// clip keeps the beginning of a long text, and represents its end by a hash.
func clip(s string) string {
	const most = 2000
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes, hash %x)", s[:most], len(s), hash(s))
}

func hash(s string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, s)
	return h.Sum64()
}

// A called is one call: its arguments without the receiver, and its results.
type called struct {
	out      string
	panicked string
	results  []reflect.Value
	flags    Flags
}

// invoke calls a function, lets its goroutines settle unless rest is nil, and examines its
// arguments' memory.
func invoke(name string, f reflect.Value, all []reflect.Value, method bool, rest *settler) (c *called) {
	c = &called{}
	args, receiver := all, []reflect.Value(nil)
	if method {
		receiver, args = all[:1], all[1:]
	}
	// The function gets its own copies of the outermost values, as with any call.
	given := make([]reflect.Value, len(all))
	for i, v := range all {
		given[i] = reflect.New(v.Type()).Elem()
		given[i].Set(v)
	}
	o := observe(receiver, args)
	func() {
		defer func() {
			if p := recover(); p != nil {
				c.panicked = panicText(p)
			}
		}()
		if f.Type().IsVariadic() {
			c.results = f.CallSlice(given)
		} else {
			c.results = f.Call(given)
		}
	}()
	stay := rest != nil && rest.settle()
	defer func() { c.flags.Stay = c.flags.Stay || stay }()
	if c.panicked != "" {
		c.out, c.results = c.panicked, nil
		c.flags = o.end(nil)
		return c
	}
	c.flags = o.end(c.results)
	c.out = show(c.results, false) + nilResults(name, c.results) + written(args) + o.left() + getters(c.results)
	return c
}

// panicText tells the runtime's panics, which show misuse, from a function's own.
func panicText(p interface{}) string {
	if e, ok := p.(interface{ RuntimeError() }); ok {
		return fmt.Sprintf("%s: %v", runtimePanic, e)
	}
	if e, ok := p.(error); ok && strings.HasPrefix(e.Error(), "reflect: ") {
		return runtimePanic + ": " + e.Error()
	}
	return "panic"
}

// written is the text that writers among the arguments received. It counts as a result.
func written(args []reflect.Value) string {
	text := ""
	for _, v := range args {
		if w := streamOf(v); w != nil {
			text += fmt.Sprintf(" wrote %q", clip(w.String()))
		}
	}
	if l := calledBack(); l != "" {
		text += " called" + clip(l)
	}
	return text
}
