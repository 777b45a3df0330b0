// Package probe calls the functions of a package and tells what they return and whose memory they
// share. It is compiled twice: into gyr, which reads its reports, and, as source that is laid over a
// module (go's -overlay), into test binaries of two versions of a package, which write them. So it
// keeps to the standard library and to the language of Go 1.17.
//
// # What is called
//
// First the package's own tests and examples run, with functions whose entry and end are watched
// (watch.go): what they are given there and what they answer is noted, and copies of it are kept. Then
// functions are called with these copies and with random values (values.go), and types are put through
// sequences of calls of their methods, on what a constructor makes (sequence.go).
//
// # What is observed
//
// A function gets the same inputs in both versions: they come from its name, the number of the case, and
// literals in the package's sources. Of each case arguments and results are noted as text, so both
// versions are compared where they were given the same. Of each argument, and of results, is noted
// whether memory is shared, by its addresses (memory.go). Nothing of that is wrong by itself: a function
// may well return a part of its input. What is wrong, mostly, is that a version which is only to be
// faster answers or shares otherwise than the one before. Goroutines that a call begins come to rest before the next
// one (settle.go): in which order two of them would run is not observed.
//
// # State
//
// Variables of the package that a version writes to are watched, too (state.go): which function
// changes one, and whose answers depend on it.
package probe

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
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
	Functions []string // in this order
	Tests     bool     // run the package's tests first
	Skip      []string // functions, methods and tests that do not come to an end
	Strings   []string // that inputs are made of, beside random ones
	Ints      []int64
	State     []string       // variables that are watched
	Limits    map[string]int // most cases of a function or type; without one, as many as usual
}

// A Package is what the overlay knows of the package it stands in.
type Package struct {
	Functions map[string]interface{} // functions, and methods as functions with the receiver first
	Types     []interface{}          // nil pointers to types of the package
	State     map[string]interface{} // pointers to variables
	Tests     []Test
	// Group calls a function with the testing.T of a group of tests, and waits for parallel ones.
	Group func(func(t interface{}))
}

// A Test runs a test or an example under a testing.T. What fails is another check's matter.
type Test struct {
	Name string
	Run  func(t interface{})
}

// More are tests of the external test package.
var More []Test

// A Case is one call, or one sequence of calls.
type Case struct {
	Args string
	Out  string // the results, or what begins with "panic"
}

// Flags are bits for the arguments of a function, the receiver not counted, the first one the lowest.
type Flags struct {
	Input uint64 `json:",omitempty"` // the call writes to it, or behind its end
	Alias uint64 `json:",omitempty"` // a result, or the receiver, refers to its memory, which the caller may write
	Back  uint64 `json:",omitempty"` // a result that the caller may write refers to its memory
	Later bool   `json:",omitempty"` // a result changes with later calls, or they return the same memory
	Own   bool   `json:",omitempty"` // a result that the caller may write refers to the receiver's memory
}

func (f *Flags) add(g Flags) {
	f.Input, f.Alias, f.Back = f.Input|g.Input, f.Alias|g.Alias, f.Back|g.Back
	f.Later, f.Own = f.Later || g.Later, f.Own || g.Own
}

// A Report is what is known of one function, or of a type by sequences of calls: its name is then
// "type T".
type Report struct {
	Name        string
	Unsupported string           `json:",omitempty"` // why it was not called; empty: it was
	Cases       []Case           `json:",omitempty"`
	Direct      []Case           `json:",omitempty"` // those in which tests of the package called it
	Flags       map[string]Flags `json:",omitempty"` // of it and, for a type, of its methods
	Reached     map[string]int   `json:",omitempty"` // watched functions that were called on the way, with how many inputs
	State       []State          `json:",omitempty"`
	Stuck       bool             `json:",omitempty"` // the process ended itself here
}

// runtimePanic begins the result of a call that the runtime ended, as by an index out of range. Other panics
// are the function's own.
const runtimePanic = "panic of the runtime"

// Undefined reports whether a result is that of a function that was misused: nothing can be asked of it.
func Undefined(out string) bool { return strings.Contains(out, runtimePanic) }

// most calls of a function, or sequences of a type, and how long they may take together.
const (
	Cases    = 384
	caseTime = 1500 * time.Millisecond
	perSeed  = 8 // calls for an input that a test had: itself and variants
)

// a worker calls what an order names.
type worker struct {
	order Order
	pkg   *Package
	out   *json.Encoder
	mu    sync.Mutex
	at    string // what is called now
	since budget // of this call
}

// Main does what the environment's order says and writes a report a line. Without an order it does nothing.
func Main(pkg *Package) error {
	if os.Getenv(OrderFile) == "" {
		return nil
	}
	text, err := os.ReadFile(os.Getenv(OrderFile))
	if err != nil {
		return err
	}
	w := &worker{pkg: pkg}
	if err := json.Unmarshal(text, &w.order); err != nil {
		return err
	}
	f, err := os.OpenFile(os.Getenv(ReportFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	w.out = json.NewEncoder(f)
	debug.SetMemoryLimit(1 << 30)
	for _, x := range pkg.Types {
		process.home = reflect.TypeOf(x).Elem().PkgPath()
	}
	w.remember()
	w.enter("start")
	go w.watchdog()
	if w.order.Tests {
		w.tests()
	}
	for _, name := range w.order.Functions {
		if !w.skipped(name) {
			w.enter(name)
			w.write(w.call(name))
		}
	}
	w.enter("")
	w.write(&Report{Name: "end"})
	return f.Close()
}

// call observes one function or type.
func (w *worker) call(name string) *Report {
	if strings.HasPrefix(name, "type ") {
		return w.sequences(name)
	}
	return w.function(name, w.pkg.Functions[name])
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
}

func (w *worker) skipped(name string) bool {
	for _, s := range w.order.Skip {
		if s == name {
			return true
		}
	}
	return false
}

// stuckTime is the processor's time that one call may take, or a test.
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

// tests runs the package's tests while functions are watched.
func (w *worker) tests() {
	watchOn(true)
	allowed := newBudget(stuckTime)
	w.pkg.Group(func(t interface{}) {
		for _, x := range append(w.pkg.Tests[:len(w.pkg.Tests):len(w.pkg.Tests)], More...) {
			if !w.skipped(x.Name) && allowed.left() {
				w.enter(x.Name)
				x.Run(t)
			}
		}
		w.enter(parallelTests)
	})
	w.enter("tests")
	watchOn(false)
	for _, r := range watched() {
		w.write(r)
	}
}

// parallelTests is where a process is that waits for tests that run at the same time.
const parallelTests = "parallel tests"

// process is what stands for the package under test, as there is one in a process.
var process struct {
	home    string                   // its path
	log     string                   // what functions without a result were called with
	initial map[string]reflect.Value // values of its variables before anything ran
}

// function observes a function, or a method as a function whose first parameter is the receiver: its
// name begins with a parenthesis.
func (w *worker) function(name string, function interface{}) *Report {
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
	seeds := seedsOf(name)
	if r.Unsupported != "" && len(seeds) == 0 {
		return r
	}
	reachedAnew()
	var flags Flags
	kept := &keeper{}
	allowed, rest := newBudget(caseTime), newSettler()
	most := w.limit(name, Cases+perSeed*len(seeds))
	inputs := func(i int) []reflect.Value {
		m.begin(i)
		if i < perSeed*len(seeds) {
			list := cloneAll(seeds[i/perSeed])
			for n := i % perSeed; n > 0; n /= 2 {
				m.vary(list)
			}
			return list
		}
		if r.Unsupported != "" {
			return nil
		}
		list := []reflect.Value{} // not nil where there is no parameter
		for k := 0; k < f.Type().NumIn(); k++ {
			v := reflect.New(f.Type().In(k)).Elem()
			m.fill(v, 0, method && k == 0)
			list = append(list, v)
		}
		return list
	}
	for i := 0; i < most && allowed.left(); i++ {
		w.enter(name)
		all := inputs(i)
		if all == nil {
			break
		}
		before := show(all, true)
		c := invoke(f, all, method, rest)
		r.Cases = append(r.Cases, Case{clip(before), clip(c.out)})
		flags.add(c.flags)
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
	r.State = w.states(f, method, inputs, rest, min(len(r.Cases), stateCases))
	return r
}

// limit is how many cases there are of a function.
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

// clip keeps the beginning of a long text, and tells its end by a hash.
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

// A called is one call: its arguments without the receiver, and what it gave.
type called struct {
	out      string
	panicked string
	results  []reflect.Value
	flags    Flags
}

// invoke calls a function, lets goroutines it began settle unless rest is nil, and looks at its arguments' memory.
func invoke(f reflect.Value, all []reflect.Value, method bool, rest *settler) (c *called) {
	c = &called{}
	args, receiver := all, []reflect.Value(nil)
	if method {
		receiver, args = all[:1], all[1:]
	}
	// The function has its own copies of the outermost values, as of any arguments.
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
	if rest != nil {
		rest.settle()
	}
	if c.panicked != "" {
		c.out, c.results = c.panicked, nil
		c.flags = o.end(nil)
		return c
	}
	c.flags = o.end(c.results)
	c.out = show(c.results, false) + written(args) + getters(c.results)
	return c
}

// panicText tells what the runtime says of misuse from a function's own panic.
func panicText(p interface{}) string {
	if e, ok := p.(interface{ RuntimeError() }); ok {
		return fmt.Sprintf("%s: %v", runtimePanic, e)
	}
	if e, ok := p.(error); ok && strings.HasPrefix(e.Error(), "reflect: ") {
		return runtimePanic + ": " + e.Error()
	}
	return "panic"
}

// written is what writers among the arguments got: it counts as a result.
func written(args []reflect.Value) string {
	text := ""
	for _, v := range args {
		if w := streamOf(v); w != nil {
			text += fmt.Sprintf(" wrote %q", clip(w.String()))
		}
		if l := logOf(v); l != "" {
			text += " called" + clip(l)
		}
	}
	return text
}
