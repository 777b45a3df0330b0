package probe

import (
	"reflect"
	"sort"
	"strings"
	"time"
)

// Lengths of sequences, and how many there are of a type.
const (
	mostSteps     = 24
	fewSteps      = 4
	mostSequences = 320
	sequenceTime  = 4 * time.Second
)

// sequences puts a type through calls of its methods, on what a constructor of the package makes or what tests
// had. Words that stand for inputs come again within a sequence, so that what was stored is found.
func (w *worker) sequences(name string) *Report {
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
	var seeds []reflect.Value
	for _, method := range methods {
		for _, s := range seedsOf(method) {
			if len(seeds) < mostSeeds {
				seeds = append(seeds, s[0])
			}
		}
	}
	reachedAnew()
	allowed, rest := newBudget(sequenceTime), newSettler()
	for i := 0; i < w.limit(name, mostSequences) && allowed.left(); i++ {
		w.enter(name)
		m.begin(i)
		var pool []string
		var numbers []int64
		for n := 2 + m.rng.Intn(4); n > 0; n-- {
			pool, numbers = append(pool, m.text()), append(numbers, m.number())
		}
		m.pool, m.numbers = pool, numbers
		some := methods
		if i/4%2 == 1 {
			// A few methods with a few inputs meet more often in one place than all of them with many.
			some = m.someOf(methods)
			m.pool, m.numbers = pool[:1+m.rng.Intn(2)], []int64{0, numbers[0]}
		}
		rest.anew()
		w.sequence(r, t, some, m, seeds, i, rest)
	}
	r.Reached = reached()
	return r
}

// someOf are one to four of some names.
func (m *maker) someOf(names []string) []string {
	var list []string
	for n := 1 + m.rng.Intn(4); n > 0; n-- {
		list = append(list, names[m.rng.Intn(len(names))])
	}
	return list
}

// sequence makes one case.
func (w *worker) sequence(r *Report, t reflect.Type, methods []string, m *maker, seeds []reflect.Value, i int, rest *settler) {
	object := reflect.New(reflect.PtrTo(t)).Elem() // a variable that holds a pointer to the object
	how := ""
	if len(seeds) > 0 && i%3 == 2 {
		s := cloneAll([]reflect.Value{seeds[i/3%len(seeds)]})[0]
		if s.Type() == t {
			p := reflect.New(t)
			p.Elem().Set(s)
			s = p
		}
		if s.IsNil() {
			return
		}
		object.Set(s)
		how = show([]reflect.Value{s}, true)
	} else if made, text, ok := m.constructed(t); ok {
		object.Set(made)
		how = text
	} else {
		object.Set(reflect.New(t))
		m.fill(object.Elem(), 0, true)
		how = show([]reflect.Value{object}, true)
	}
	rest.settle() // what a constructor began
	kept := &keeper{}
	args, outs := []string{how}, []string{""}
	// Every second one is short: where goroutines that serve calls have an order of their own, the end of a long one is unsettled.
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
		list := []reflect.Value{object}
		if f.Type().In(0) == t {
			list[0] = object.Elem()
		}
		for k := 1; k < f.Type().NumIn(); k++ {
			v := reflect.New(f.Type().In(k)).Elem()
			m.fill(v, 0, false)
			list = append(list, v)
		}
		text := "." + name + "(" + show(list[1:], true) + ")"
		if panicked {
			args, outs = append(args, text), append(outs, "") // only for the sake of the inputs, which are the other version's too
			continue
		}
		// In every second sequence the caller uses its memory for something else after the call, at once: what the object
		// copied does not change by that, nor what its goroutines make of it.
		reused, settling := i%2 == 1, rest
		if reused {
			settling = nil
		}
		c := invoke(f, list, true, settling)
		args, outs = append(args, text), append(outs, c.out)
		flags := r.Flags[name]
		flags.add(c.flags)
		r.Flags[name] = flags
		if panicked = c.panicked != ""; panicked {
			continue // half done: what comes of it is nobody's promise
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
	args = append(args, "at the end")
	end := ""
	if !panicked {
		end = show([]reflect.Value{object}, false) + getters([]reflect.Value{object})
	}
	outs = append(outs, end)
	r.Cases = append(r.Cases, Case{strings.Join(args, Then), strings.Join(outs, Then)})
}

// Then stands between the steps of a sequence's case.
const Then = "\x1e"

// setField gives an exported field of an object another value: what was made of the one before has to follow.
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
