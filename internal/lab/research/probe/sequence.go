//go:build go1.17

package probe

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
	"time"
)

// The lengths of sequences, and their number for a type.
const (
	mostSteps     = 24
	fewSteps      = 4
	mostSequences = 320
	sequenceTime  = 4 * time.Second
)

// sequences tests a type with sequences of method calls, on objects from a constructor of the
// package or from tests. Input words recur within a sequence, so that stored values are found
// again.
func (w *worker) sequences(name string, most int) *Report {
	r := &Report{Name: name, Flags: map[string]Flags{}}
	t := w.typeNamed(strings.TrimPrefix(name, "type "))
	if t == nil {
		r.Unsupported = "is not there"
		return r
	}
	m := w.maker(name)
	methods := w.methodsOf(t, m)
	if len(methods) == 0 {
		r.Unsupported = "has no methods that can be called"
		return r
	}
	var seeds []seed
	for _, method := range methods {
		for _, s := range seedsOf(inTests, method, reflect.TypeOf(w.pkg.Functions[method])) {
			if len(seeds) < mostSeeds {
				seeds = append(seeds, seed{s.list[:1], s.place})
			}
		}
	}
	reachedAnew()
	w.blocked = 0
	allowed, rest := newBudget(sequenceTime), newSettler()
	for i := 0; i < most && allowed.left(); i++ {
		w.enter(name)
		m.begin(i)
		var pool []string
		var numbers []int64
		for n := 2 + m.rng.Intn(4); n > 0; n-- {
			pool, numbers = append(pool, m.text()), append(numbers, m.number())
		}
		m.pool, m.numbers, m.flaky = pool, numbers, i%4 == 3
		some := methods
		if i/4%2 == 1 {
			// A few methods with a few inputs collide more often than all methods with many.
			some = m.someOf(methods)
			m.pool, m.numbers = pool[:1+m.rng.Intn(2)], []int64{0, numbers[0]}
		}
		rest.anew()
		w.sequence(r, t, some, m, seeds, i, rest)
	}
	r.Reached = reached()
	return r
}

// someOf chooses one to four of the names.
func (m *maker) someOf(names []string) []string {
	var list []string
	for n := 1 + m.rng.Intn(4); n > 0; n-- {
		list = append(list, names[m.rng.Intn(len(names))])
	}
	return list
}

// sequence makes one case.
func (w *worker) sequence(r *Report, t reflect.Type, methods []string, m *maker, seeds []seed, i int, rest *settler) {
	object := reflect.New(reflect.PtrTo(t)).Elem() // a variable that holds a pointer to the object
	how := ""
	back := i%8 == 4 && w.blocked < mostBlocked && w.callsFunctions(t, methods, m)
	endBack := func() {}
	if back {
		endBack = m.callsBack(object, t, methods)
	}
	if len(seeds) > 0 && i%3 == 2 {
		s := cloneAll(seeds[i/3%len(seeds)].list)[0]
		if s.Type() == t {
			p := reflect.New(t)
			p.Elem().Set(s)
			s = p
		}
		if s.IsNil() {
			return
		}
		object.Set(s)
		how, _ = keyOf(fmt.Sprintf("sequence %d with %s", i, seeds[i/3%len(seeds)].place), []reflect.Value{s})
	} else if made, text, ok := m.constructed(t); ok {
		object.Set(made)
		how = fmt.Sprintf("sequence %d with %s", i, text)
	} else {
		object.Set(reflect.New(t))
		m.fill(object.Elem(), 0, true)
		how, _ = keyOf(fmt.Sprintf("sequence %d", i), []reflect.Value{object})
	}
	if back {
		how += ", whose functions call methods"
	}
	rest.settle() // goroutines of the constructor
	kept := &keeper{}
	args, outs := []string{how}, []string{""}
	// Every second sequence is short: if goroutines that serve calls have an order of their own,
	// the end of a long sequence is unsettled.
	steps := 2 + m.rng.Intn(mostSteps)
	if i%4 < 2 {
		steps = 2 + m.rng.Intn(fewSteps)
	}
	panicked := false
	for ; steps > 0; steps-- {
		if text, ok := m.setField(object.Elem()); ok {
			args, outs = append(args, text), append(outs, "")
			continue
		}
		name := methods[m.rng.Intn(len(methods))]
		f := reflect.ValueOf(w.pkg.Functions[name])
		list := m.filled(f.Type(), t, object)
		given, _ := keyOf(fmt.Sprintf("step %d", len(args)), list[1:])
		text := "." + name + "(" + given + ")"
		if panicked {
			args, outs = append(args, text), append(outs, "") // only for the inputs, which the other version gets too
			continue
		}
		// In every second sequence the caller reuses its memory right after the call. That must not
		// change what the object copied, nor what its goroutines do with it.
		reused, settling := i%2 == 1, rest
		if reused {
			settling = nil
		}
		args = append(args, text)
		if w.misused(r.Name, args...) {
			outs, panicked = append(outs, notCalled), true
			continue
		}
		var c *called
		if back {
			c = awaited(func() *called { return invoke(name, f, list, true, nil) })
			if c == nil {
				w.blocked++
				outs, panicked = append(outs, waitsForItself), true
				continue
			}
			rest.settle()
		} else {
			c = invoke(name, f, list, true, settling)
		}
		outs = append(outs, c.out)
		flags := r.Flags[name]
		flags.Add(c.flags)
		r.Flags[name] = flags
		if panicked = c.panicked != ""; panicked {
			continue // half done: its outcome is no promise
		}
		if reused {
			for _, v := range list[1:] {
				alter(v, 0, map[uintptr]bool{}, false)
			}
			rest.settle()
		}
		kept.add(name, c.results)
	}
	for name := range kept.changed() {
		flags := r.Flags[name]
		flags.Later = true
		r.Flags[name] = flags
	}
	endBack()
	args = append(args, "at the end")
	end := ""
	if !panicked {
		end = show([]reflect.Value{object}, false) + getters([]reflect.Value{object})
	}
	outs = append(outs, end)
	r.Cases = append(r.Cases, Case{strings.Join(args, Then), strings.Join(outs, Then)})
}

// Then separates the steps of a sequence's case.
const Then = "\x1e"

// callsFunctions reports whether objects of a type may call functions that callers pass.
func (w *worker) callsFunctions(t reflect.Type, methods []string, m *maker) bool {
	for _, name := range append(append(append([]string(nil), m.makers[reflect.PtrTo(t)]...), m.makers[t]...), methods...) {
		if takesFunctions(reflect.TypeOf(w.pkg.Functions[name])) {
			return true
		}
	}
	return false
}

// setField gives an exported field of an object another value. Anything derived from the old value
// has to follow.
func (m *maker) setField(v reflect.Value) (text string, ok bool) {
	if v.Kind() != reflect.Struct || v.NumField() == 0 || m.rng.Intn(8) > 0 {
		return "", false
	}
	i := m.rng.Intn(v.NumField())
	if f := v.Type().Field(i); f.PkgPath != "" || f.Anonymous || !m.makeable(f.Type, 0) {
		return "", false
	}
	m.fill(v.Field(i), 1, false)
	return "." + v.Type().Field(i).Name + " = " + show([]reflect.Value{v.Field(i)}, true), true
}

// constructed makes an object by one of the package's constructors, as a pointer.
func (m *maker) constructed(t reflect.Type) (v reflect.Value, text string, ok bool) {
	var names []string
	for _, x := range []reflect.Type{reflect.PtrTo(t), t} {
		names = append(names, m.makers[x]...)
	}
	if len(names) == 0 {
		return v, "", false
	}
	v, text, ok = m.made(names[m.rng.Intn(len(names))], 0)
	if ok && v.Type() == t {
		p := reflect.New(t)
		p.Elem().Set(v)
		v = p
	}
	return v, text, ok
}

// typeNamed is a type of the package.
func (w *worker) typeNamed(name string) reflect.Type {
	for _, x := range w.pkg.Types {
		t := reflect.TypeOf(x).Elem()
		full := t.String()
		if full[strings.IndexByte(full, '.')+1:] == name || t.Name() == name || strings.HasPrefix(t.Name(), name+"[") {
			return t
		}
	}
	return nil
}

// methodsOf are the methods of a type that can be called.
func (w *worker) methodsOf(t reflect.Type, m *maker) []string {
	var list []string
	for name, x := range w.pkg.Functions {
		f := reflect.TypeOf(x)
		if !strings.HasPrefix(name, "(") || f.In(0) != t && f.In(0) != reflect.PtrTo(t) || w.skipped(name) {
			continue
		}
		short := name[strings.LastIndexByte(name, '.')+1:]
		if exported := short[0] >= 'A' && short[0] <= 'Z'; !exported {
			continue
		}
		able := true
		for k := 1; k < f.NumIn(); k++ {
			able = able && m.makeable(f.In(k), 0)
		}
		if able {
			list = append(list, name)
		}
	}
	sort.Strings(list)
	return list
}
