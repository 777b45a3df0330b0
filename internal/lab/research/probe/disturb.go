//go:build go1.17

package probe

import (
	"fmt"
	"math/rand"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Callers use their memory again. They change what they passed and what they got, pass parts of it,
// drop it, and call from several goroutines. A function that answers by the address of its input, or
// that hands out what it still needs, is right as long as none of that happens.

const (
	disturbedTime  = 2 * time.Second // for a function
	concurrentTime = time.Second
	callers        = 4
	rounds         = 200
	starts         = 4
	mostOther      = 6 // inputs like the origin in one sequence
)

// A course is a sequence of calls. It is one case.
type course struct {
	w         *worker
	c         *callee
	name      string // of the report
	place     string // of the origin
	objects   []uintptr
	args      []string
	outs      []string
	undefined bool // a call panicked: what follows says nothing
}

func (s *course) note(text string, list []reflect.Value) {
	if !s.undefined {
		s.args, s.outs = append(s.args, text), append(s.outs, clip(show(list, false)))
	}
}

// keyOf is the text of a call's arguments. A receiver has its text once: what calls leave in it is what
// is examined.
func (s *course) keyOf(list []reflect.Value) (key string, ok bool) {
	place := placed(fmt.Sprintf("call %d of ", len(s.args)), s.place)
	if !s.c.method || list[0].Kind() != reflect.Ptr {
		return keyOf(place, list)
	}
	for i, p := range s.objects {
		if p == list[0].Pointer() {
			key, ok = keyOf(place, list[1:])
			return fmt.Sprintf("receiver %d, %s", i, key), ok
		}
	}
	s.objects = append(s.objects, list[0].Pointer())
	return keyOf(place, list)
}

// call calls the function and returns its results.
func (s *course) call(text string, list []reflect.Value) []reflect.Value {
	if s.undefined {
		return nil
	}
	key, told := s.keyOf(list)
	if s.args = append(s.args, text+" "+key); !told {
		s.args, s.undefined = s.args[:len(s.args)-1], true
		return nil
	}
	if s.w.misused(s.name, s.args...) {
		s.outs, s.undefined = append(s.outs, notCalled), true
		return nil
	}
	c := invoke(s.c.name, s.c.f, list, s.c.method, s.c.rest)
	s.outs = append(s.outs, clip(c.out))
	s.undefined = c.panicked != ""
	return c.results
}

// disturbed calls a function in courses in which memory changes between calls.
func (w *worker) disturbed(r *Report, c *callee) {
	allowed := newBudget(disturbedTime)
	most := w.limit(r.Name, len(courses)*len(c.origins))
	for _, run := range courses {
		for k := range c.origins {
			if len(r.Cases) >= most || !allowed.left() {
				return
			}
			w.enter(r.Name)
			s := &course{w: w, c: c, name: r.Name, place: c.place(k)}
			run(s, c.origins[k], w.others(c, k))
			if len(s.args) > 0 {
				r.Cases = append(r.Cases, Case{strings.Join(s.args, Then), strings.Join(s.outs, Then)})
			}
		}
	}
}

// others makes inputs that derive from an origin, and other origins.
func (w *worker) others(c *callee, k int) (list [][]reflect.Value) {
	for i, origin := range c.origins {
		if i != k && len(list) < mostOther/2 {
			list = append(list, cloneAll(origin))
		}
	}
	for _, x := range newDeriver(w, c.origins[k], rand.New(rand.NewSource(int64(hash(c.name))-int64(k)))).chosen(mostOther - len(list)) {
		other := cloneAll(c.origins[k])
		apply(other[x.path[0]], x.path[1:], x.do)
		list = append(list, other)
	}
	return list
}

var courses = []func(s *course, origin []reflect.Value, others [][]reflect.Value){
	usedAgain, inParts, overlapping, changedResults, changedByMethods, keptResults, collected, inTurn,
}

// usedAgain changes the input where it is.
func usedAgain(s *course, origin []reflect.Value, _ [][]reflect.Value) {
	list := cloneAll(origin)
	first := s.call("the input", list)
	args := list
	if s.c.method {
		args = list[1:]
	}
	d := &disturber{}
	for _, v := range args {
		d.value(v, 0)
	}
	s.note("the first results", first)
	s.call("changed where it is", list)
	d.undo()
	s.call("and back", list)
}

// inParts passes parts of one input, which share its memory.
func inParts(s *course, origin []reflect.Value, _ [][]reflect.Value) {
	list := cloneAll(origin)
	for i, v := range list {
		if k := v.Kind(); k != reflect.Slice && k != reflect.String || v.Len() < 2 {
			continue
		}
		n := v.Len()
		for _, at := range [][2]int{{0, n}, {0, n / 2}, {0, 1}, {n / 4, n - n/4}, {n / 2, n}, {n - 1, n}, {0, 0}, {0, n}} {
			part := append([]reflect.Value(nil), list...)
			part[i] = v.Slice(at[0], at[1])
			s.call(fmt.Sprintf("from %d to %d", at[0], at[1]), part)
		}
	}
}

// overlapping passes slices that share memory: all of it, or all but an element.
func overlapping(s *course, origin []reflect.Value, _ [][]reflect.Value) {
	first := 0
	if s.c.method {
		first = 1
	}
	for i := first; i < len(origin); i++ {
		for k := i + 1; k < len(origin); k++ {
			a, b := origin[i], origin[k]
			if a.Kind() != reflect.Slice || a.Type() != b.Type() || a.Len() == 0 || b.Len() == 0 {
				continue
			}
			for _, from := range [][2]int{{0, 0}, {0, 1}, {1, 0}} {
				list := cloneAll(origin)
				n := a.Len() + 1
				if b.Len() >= n {
					n = b.Len() + 1
				}
				shared := reflect.MakeSlice(a.Type(), n, n)
				reflect.Copy(shared, list[k])
				reflect.Copy(shared, list[i])
				list[i], list[k] = shared.Slice(from[0], from[0]+a.Len()), shared.Slice(from[1], from[1]+b.Len())
				s.call(fmt.Sprintf("arguments %d and %d in one memory, from %d and %d", i-first+1, k-first+1, from[0], from[1]), list)
			}
		}
	}
}

// changedResults changes results, and what is behind their ends, and asks for them again.
func changedResults(s *course, origin []reflect.Value, _ [][]reflect.Value) {
	first := s.call("the input", cloneAll(origin))
	d := &disturber{spare: true}
	for _, v := range first {
		d.value(v, 0)
	}
	s.note("results with other memory behind their ends", first)
	d.undo()
	second := s.call("again", cloneAll(origin))
	d = &disturber{}
	for _, v := range first {
		d.value(v, 0)
	}
	s.note("the second results, when the first are changed", second)
	s.call("again", cloneAll(origin))
	d.undo()
}

// changedByMethods calls the exported methods of results, asks for the results again, and calls the
// methods of the first ones once more: a result that was given back may be another one's by then.
func changedByMethods(s *course, origin []reflect.Value, _ [][]reflect.Value) {
	m := s.w.maker(s.c.name)
	m.begin(0)
	list := cloneAll(origin)
	again := func() []reflect.Value { // with the same receiver
		if !s.c.method {
			return cloneAll(origin)
		}
		return append([]reflect.Value{list[0]}, cloneAll(origin[1:])...)
	}
	first := byMethods(s, m, nil, list)
	if first == nil {
		return
	}
	second := s.call("again", again())
	byMethods(s, m, first, nil)
	s.note("the second results", second)
	s.call("again", again())
}

// byMethods calls the exported methods of results that are pointers to objects of the package. Without
// results, and if there are such methods, it makes the call first. It returns the results.
func byMethods(s *course, m *maker, first, list []reflect.Value) []reflect.Value {
	for i := 0; i < s.c.f.Type().NumOut(); i++ {
		t := s.c.f.Type().Out(i)
		if t.Kind() != reflect.Ptr || !own(t) {
			continue
		}
		if first == nil {
			if first = s.call("the input", list); first == nil {
				return nil
			}
		}
		for _, name := range s.w.methodsOf(t.Elem(), m) {
			f := reflect.ValueOf(s.w.pkg.Functions[name])
			if first[i].IsNil() || name == s.c.name {
				continue
			}
			list := m.filled(f.Type(), t.Elem(), first[i])
			s.args = append(s.args, "."+name+"("+show(list[1:], true)+")")
			s.outs = append(s.outs, plainly(f, list))
		}
	}
	return first
}

// keptResults looks at results again after later calls, and at what earlier calls left in their arguments.
func keptResults(s *course, origin []reflect.Value, others [][]reflect.Value) {
	inputs := append([][]reflect.Value{cloneAll(origin)}, others...)
	var kept [][]reflect.Value
	for _, input := range inputs {
		kept = append(kept, s.call("the input", input))
	}
	for i, results := range kept {
		s.note(fmt.Sprintf("results %d again", i), results)
		if !s.undefined {
			s.args, s.outs = append(s.args, fmt.Sprintf("arguments %d again", i)), append(s.outs, clip(seenIn(inputs[i])))
		}
	}
	if s.undefined {
		return
	}
	var shared []string
	for i := range inputs {
		for k := range inputs[:i] {
			if meet(reachedBy(inputs[i]), reachedBy(inputs[k]), func(x, y region) bool { return x.writable && y.writable }) {
				shared = append(shared, fmt.Sprintf("those of %d and %d", k, i))
			}
		}
	}
	s.args, s.outs = append(s.args, "arguments of two calls that share memory"), append(s.outs, fmt.Sprint(shared))
}

// collected drops its inputs, so that others get their memory.
func collected(s *course, origin []reflect.Value, others [][]reflect.Value) {
	for i := 0; i < len(others); i++ {
		s.call("the input", cloneAll(origin))
		runtime.GC()
		s.call("another", cloneAll(others[i]))
		runtime.GC()
	}
}

// inTurn calls with several inputs in turn. A method is called on several receivers, too.
func inTurn(s *course, origin []reflect.Value, others [][]reflect.Value) {
	all := [][]reflect.Value{cloneAll(origin)}
	for _, other := range others {
		if s.c.method && len(all) > 1 && len(all)%2 == 0 {
			// The receiver of another input with the same arguments.
			other = append([]reflect.Value{other[0]}, cloneAll(origin)[1:]...)
		}
		all = append(all, other)
	}
	for i := 0; i < 2*len(all); i++ {
		s.call("in turn", all[i%len(all)])
		if i%2 == 1 {
			s.call("the first again", all[0])
		}
	}
}

// A disturber changes memory that callers can reach, and restores it.
type disturber struct {
	spare bool // only the elements between the length and the capacity of slices
	list  []func()
	seen  map[uintptr]bool
}

// mostDisturbed bounds the changes of one value.
const mostDisturbed = 1 << 16

func (d *disturber) undo() {
	for i := len(d.list) - 1; i >= 0; i-- {
		d.list[i]()
	}
	d.list = nil
}

// value changes what a value refers to; deep is 0 for the value itself, of which callers have a
// copy.
func (d *disturber) value(v reflect.Value, deep int) {
	if !v.IsValid() || deep > 2*depth || len(d.list) > mostDisturbed {
		return
	}
	if d.seen == nil {
		d.seen = map[uintptr]bool{}
	}
	switch t := v.Type(); {
	case t == readerType, t == writerType, t == contextType, t.Implements(errorType):
		return
	}
	if deep > 0 && !d.spare && d.something(v) {
		return
	}
	switch v.Kind() {
	case reflect.Ptr:
		if v.IsNil() || d.seen[v.Pointer()] || ofProbe(v.Type()) {
			return
		}
		d.seen[v.Pointer()] = true
		if pkg := v.Type().Elem().PkgPath(); pkg == "" || pkg == process.home {
			d.value(v.Elem(), deep+1)
		}
	case reflect.Interface:
		if !v.IsNil() {
			if k := v.Elem().Kind(); k == reflect.Ptr || k == reflect.Slice || k == reflect.Map {
				d.value(v.Elem(), deep+1)
			}
		}
	case reflect.Slice:
		if d.spare {
			for whole, i := v.Slice(0, v.Cap()), v.Len(); i < v.Cap(); i++ {
				d.leaf(whole.Index(i))
			}
		}
		fallthrough
	case reflect.Array:
		if d.spare && !holds(v.Type().Elem()) {
			return
		}
		for i := 0; i < v.Len(); i++ {
			d.value(v.Index(i), deep+1)
		}
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			if reachable(v.Type(), i) {
				d.value(field(v, i), deep+1)
			}
		}
	case reflect.Map:
		if v.IsNil() || d.seen[v.Pointer()] || !v.CanInterface() {
			return
		}
		d.seen[v.Pointer()] = true
		for _, k := range v.MapKeys() {
			k, was := k, v.MapIndex(k)
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(was)
			inner := &disturber{spare: d.spare, seen: d.seen}
			inner.value(e, deep+1)
			v.SetMapIndex(k, e)
			d.list = append(d.list, func() { inner.undo(); v.SetMapIndex(k, was) })
		}
	default:
		if deep > 0 && !d.spare {
			d.leaf(v)
		}
	}
}

// something puts something where nothing is.
func (d *disturber) something(v reflect.Value) (done bool) {
	if !v.CanSet() {
		return false
	}
	was := reflect.New(v.Type()).Elem()
	was.Set(v)
	switch {
	case v.Kind() == reflect.Slice && v.Len() == 0:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case v.Kind() == reflect.Ptr && v.IsNil():
		v.Set(reflect.New(v.Type().Elem()))
	case v.Kind() == reflect.Map && v.IsNil():
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.Zero(v.Type().Elem()))
	default:
		return false
	}
	d.list = append(d.list, func() { v.Set(was) })
	return true
}

// leaf gives a variable another value.
func (d *disturber) leaf(v reflect.Value) {
	if !v.CanSet() {
		return
	}
	was := reflect.New(v.Type()).Elem()
	was.Set(v)
	switch v.Kind() {
	case reflect.Bool, reflect.String, reflect.Complex64, reflect.Complex128,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		alter(v, 0, map[uintptr]bool{}, false)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1 - 3*v.Float())
	default:
		v.Set(reflect.Zero(v.Type()))
	}
	d.list = append(d.list, func() { v.Set(was) })
}

// concurrent calls a function by several goroutines at once. Its answers must be those that it
// gives to one goroutine. Each has arguments of its own. If the parent's method does not write to
// its receiver, they share one, too.
func (w *worker) concurrent(r *Report, c *callee) {
	for _, origin := range c.origins {
		if holdCalls(origin) {
			r.Unsupported = "its inputs hold functions or channels, which may be for one goroutine"
			return
		}
	}
	writes := w.writesInput(c)
	if writes && !w.order.Together[c.name] {
		r.Unsupported = "it writes to its input"
		return
	}
	r.Together = c.method && !writes
	allowed := newBudget(concurrentTime)
	for k := range c.origins {
		if !allowed.left() {
			return
		}
		inputs := append([][]reflect.Value{c.origins[k]}, w.others(c, k)...)
		want := make([]string, len(inputs))
		for i, list := range inputs {
			want[i] = w.alone(c, list)
		}
		w.callers(r, c, inputs, want, false, allowed)
		if c.method && (r.Together || w.order.Together[c.name]) && r.Races == "" {
			w.callers(r, c, inputs, want, true, allowed)
		}
		if r.Races != "" {
			return
		}
	}
}

// callers are goroutines that call with inputs in turn. They start several times at once, each time
// with the package's state as the first caller finds it, if that can be had: the state of a closure
// cannot. Nothing here orders their calls, so that the race detector sees what the package leaves
// unordered.
func (w *worker) callers(r *Report, c *callee, inputs [][]reflect.Value, want []string, together bool, allowed budget) {
	watchParts(true)
	defer watchParts(false)
	for start := 0; start < starts && r.Races == "" && allowed.left(); start++ {
		w.enter(r.Name)
		one := make([][]reflect.Value, len(inputs))
		for i, list := range inputs {
			one[i] = cloneAll(list)
		}
		var callers [callers]caller
		for g := range callers {
			for _, list := range inputs {
				own := cloneAll(list)
				if together {
					own[0] = one[len(callers[g].inputs)][0]
				}
				callers[g].inputs = append(callers[g].inputs, own)
			}
		}
		undo := w.coldFor(c, inputs, want)
		var wait sync.WaitGroup
		begin := make(chan bool)
		for g := range callers {
			wait.Add(1)
			go func(x *caller, g int) {
				defer wait.Done()
				<-begin
				x.call(c, want, g, together, allowed)
			}(&callers[g], g)
		}
		close(begin)
		wait.Wait()
		undo()
		for _, x := range callers {
			if r.Calls += x.calls; x.wrong != "" && r.Races == "" {
				r.Races = x.wrong
			}
		}
	}
}

// coldFor makes the package's state cold, unless that changes answers.
func (w *worker) coldFor(c *callee, inputs [][]reflect.Value, want []string) (undo func()) {
	for i, list := range inputs {
		if want[i] == "" {
			continue
		}
		undo := w.cold()
		got := plainly(c.f, cloneAll(list))
		if undo(); got != want[i] {
			return func() {}
		}
	}
	return w.cold()
}

// A caller is one of several goroutines.
type caller struct {
	inputs [][]reflect.Value
	calls  int
	wrong  string // an answer that a single goroutine does not get
}

func (x *caller) call(c *callee, want []string, g int, together bool, allowed budget) {
	for n := 0; n < rounds/starts && x.wrong == "" && allowed.left(); n++ {
		i := (n + g) % len(x.inputs)
		if together || n == 0 {
			i = n % len(x.inputs)
		}
		if want[i] == "" {
			continue
		}
		x.calls++
		got := plainly(c.f, x.inputs[i])
		runtime.Gosched()
		switch {
		case got == want[i]:
		case together:
			x.wrong = fmt.Sprintf("with one receiver gives %.200s instead of %.200s", got, want[i])
		default:
			x.wrong = fmt.Sprintf("%.200s gives %.200s instead of %.200s", show(x.inputs[i], true), got, want[i])
		}
	}
}

// holdCalls reports whether values hold functions or channels.
func holdCalls(list []reflect.Value) bool {
	var holdsCall func(v reflect.Value, deep int) bool
	holdsCall = func(v reflect.Value, deep int) bool {
		if !v.IsValid() || deep > 2*depth || !holdsAny(v.Type()) {
			return false
		}
		switch v.Kind() {
		case reflect.Func, reflect.Chan, reflect.UnsafePointer:
			return !v.IsZero()
		case reflect.Ptr, reflect.Interface:
			return holdsCall(v.Elem(), deep+1)
		case reflect.Slice, reflect.Array:
			for i := 0; i < v.Len(); i++ {
				if holdsCall(v.Index(i), deep+1) {
					return true
				}
			}
		case reflect.Struct:
			for i := 0; i < v.NumField(); i++ {
				if holdsCall(v.Field(i), deep+1) {
					return true
				}
			}
		case reflect.Map:
			for _, k := range v.MapKeys() {
				if holdsCall(v.MapIndex(k), deep+1) {
					return true
				}
			}
		}
		return false
	}
	for _, v := range list {
		if holdsCall(v, 0) {
			return true
		}
	}
	return false
}

// holdsAny reports whether values of a type are more than numbers and texts.
func holdsAny(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return holdsAny(t.Elem())
	case reflect.Ptr, reflect.Interface, reflect.Map, reflect.Struct, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return true
	}
	return false
}

// writesInput reports whether a call writes to what its caller passed: then an input serves once.
func (w *worker) writesInput(c *callee) bool {
	for _, origin := range c.origins {
		list := cloneAll(origin)
		before := show(list, true)
		plainly(c.f, list)
		if show(list, true) != before {
			return true
		}
	}
	return false
}

// alone is what a call gives to one goroutine; empty if that is not always the same, or undefined.
func (w *worker) alone(c *callee, list []reflect.Value) string {
	first := plainly(c.f, cloneAll(list))
	if Undefined(first) || plainly(c.f, cloneAll(list)) != first {
		return ""
	}
	return first
}

// plainly calls a function without looking at memory.
func plainly(f reflect.Value, list []reflect.Value) (out string) {
	defer func() {
		if p := recover(); p != nil {
			out = panicText(p)
		}
	}()
	if f.Type().IsVariadic() {
		return clip(show(f.CallSlice(list), false))
	}
	return clip(show(f.Call(list), false))
}
