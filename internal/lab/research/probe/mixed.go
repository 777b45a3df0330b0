//go:build go1.17

package probe

import (
	"reflect"
	"runtime"
	"sync"
	"time"
)

// Callers share an object, and each calls another of its methods. A method that is called by itself
// from several goroutines does not show that it takes another lock than the others, or none. In each
// round one goroutine calls only one method, so that no other method's lock orders its accesses.

const (
	mixedTime    = 1500 * time.Millisecond // for a type
	allMixedTime = 4 * time.Second         // for all types: no more begins then
	mixedCalls   = 24                      // of a goroutine in a round
	mixedObjects = 3
	blockedTime  = time.Second // after which goroutines that use no processor wait for each other
)

// mixed calls the methods of objects of a type from several goroutines at once.
func (w *worker) mixed(r *Report, t reflect.Type) {
	m := w.maker(r.Name)
	methods := w.changedFirst(w.methodsOf(t, m))
	if len(methods) < 2 {
		r.Unsupported = "it has fewer than two methods that can be called"
		return
	}
	watchParts(true)
	defer watchParts(false)
	allowed := newBudget(mixedTime)
	for _, method := range methods {
		for k := 0; k < mixedObjects && r.Races == "" && allowed.left(); k++ {
			w.enter(r.Name)
			m.begin(k)
			if object := w.object(t, m, methods, k); object.IsValid() {
				w.round(r, t, m, object, method, methods)
			}
		}
	}
}

// changedFirst are names with those of changed functions at the beginning.
func (w *worker) changedFirst(names []string) (list []string) {
	changed := map[string]bool{}
	for _, name := range w.order.Changed {
		changed[name] = true
	}
	for _, first := range []bool{true, false} {
		for _, name := range names {
			if changed[name] == first {
				list = append(list, name)
			}
		}
	}
	return list
}

// object is a pointer to an object of a type: one that benchmarks or tests use, if it holds no functions,
// or one from a constructor.
func (w *worker) object(t reflect.Type, m *maker, methods []string, k int) reflect.Value {
	for _, phase := range []phase{inBenches, inTests} {
		for _, name := range methods {
			for _, s := range withoutCalls(seedsOf(phase, name, reflect.TypeOf(w.pkg.Functions[name])), 0, 1) {
				if k--; k >= 0 {
					continue
				}
				v := cloneAll(s.list[:1])[0]
				if v.Type() == t {
					p := reflect.New(t)
					p.Elem().Set(v)
					v = p
				}
				if !v.IsNil() {
					return v
				}
			}
		}
	}
	if v, _, ok := m.constructed(t); ok {
		return v
	}
	return reflect.Value{}
}

// withoutCalls are the seeds of which some arguments hold no functions of tests, which may be for one
// goroutine.
func withoutCalls(seeds []seed, from, to int) (list []seed) {
	for _, s := range seeds {
		if !holdCalls(s.list[from:to]) {
			list = append(list, s)
		}
	}
	return list
}

// round calls methods of one object. The first goroutine calls only one of them.
func (w *worker) round(r *Report, t reflect.Type, m *maker, object reflect.Value, method string, methods []string) {
	var calls [callers][][]reflect.Value
	var functions [callers][]reflect.Value
	for i := 0; i < mixedCalls; i++ {
		for g := range calls {
			name := method
			if g > 0 {
				name = methods[m.rng.Intn(len(methods))]
			}
			f := reflect.ValueOf(w.pkg.Functions[name])
			functions[g] = append(functions[g], f)
			calls[g] = append(calls[g], w.arguments(m, name, f.Type(), t, object))
		}
	}
	var wait sync.WaitGroup
	begin, done := make(chan bool), make(chan bool)
	for g := range calls {
		wait.Add(1)
		go func(functions []reflect.Value, calls [][]reflect.Value) {
			defer wait.Done()
			<-begin
			for i, list := range calls {
				plainly(functions[i], list)
				runtime.Gosched() // so that they take turns on a busy machine, too; it orders nothing
			}
		}(functions[g], calls[g])
	}
	go func() {
		wait.Wait()
		close(done)
	}()
	allowed := newBudget(blockedTime)
	close(begin)
	for {
		select {
		case <-done:
			r.Calls += callers * mixedCalls
			return
		case <-time.After(blockedTime / 20):
		}
		if allowed.blocked() {
			r.Races = "does not come to an end: its methods wait for each other"
			return
		}
	}
}

// arguments are those of one call: like those of a benchmark or a test, or random ones.
func (w *worker) arguments(m *maker, name string, f, t reflect.Type, object reflect.Value) []reflect.Value {
	seeds := withoutCalls(append(append([]seed(nil), seedsOf(inBenches, name, f)...), seedsOf(inTests, name, f)...), 1, f.NumIn())
	if len(seeds) > 0 && m.rng.Intn(2) == 0 {
		args := cloneAll(seeds[m.rng.Intn(len(seeds))].list[1:])
		if m.rng.Intn(2) == 0 {
			m.vary(args)
		}
		return append(receiver(f, t, object), args...)
	}
	return m.filled(f, t, object)
}

// receiver is an object, given by a pointer, as the first argument of a method of type f.
func receiver(f, t reflect.Type, object reflect.Value) []reflect.Value {
	if f.In(0) == t {
		return []reflect.Value{object.Elem()}
	}
	return []reflect.Value{object}
}

// filled are arguments for a method with random values.
func (m *maker) filled(f, t reflect.Type, object reflect.Value) []reflect.Value {
	list := receiver(f, t, object)
	for k := 1; k < f.NumIn(); k++ {
		v := reflect.New(f.In(k)).Elem()
		m.fill(v, 0, false)
		list = append(list, v)
	}
	return list
}
