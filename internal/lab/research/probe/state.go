//go:build go1.17

package probe

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
	"sync"
	"unsafe"
)

// A State is the relation of one function to one variable of its package.
type State struct {
	Name     string
	Writes   bool // a call changes it
	Depends  bool // its results change when the variable is poisoned with another value
	Warm     bool // a second call with the same input gives another result
	Unstable bool // results change although the variable is restored: nothing is known
}

// stateCases is the number of calls that are examined for state.
const stateCases = 24

func (w *worker) remember() {
	process.initial, process.initialText = map[string]reflect.Value{}, map[string]string{}
	for name, p := range w.pkg.State {
		v := reflect.ValueOf(p).Elem()
		process.initial[name] = cloneAll([]reflect.Value{v})[0]
		process.initialText[name] = clip(stateText(v))
	}
}

// cold gives the variables that calls have changed their initial values, as the first caller finds
// them. undo takes that back.
func (w *worker) cold() (undo func()) {
	var list []func()
	for name, p := range w.pkg.State {
		v := reflect.ValueOf(p).Elem()
		if isSync := v.Type().PkgPath() == "sync" && v.Type().Name() == "Once"; !isSync && clip(stateText(v)) == process.initialText[name] {
			continue
		}
		was := reflect.New(v.Type()).Elem()
		was.Set(v)
		list = append(list, func() { v.Set(was) })
		restore(v, process.initial[name])
	}
	return func() {
		for _, do := range list {
			do()
		}
	}
}

// stateTexts are the values of the package's variables, by name.
func (w *worker) stateTexts() map[string]string {
	texts := map[string]string{}
	for name, p := range w.pkg.State {
		texts[name] = clip(stateText(reflect.ValueOf(p).Elem()))
	}
	return texts
}

// changedState are the variables that differ from before, and those of the order.
func (w *worker) changedState(before map[string]string) (names []string) {
	now := w.stateTexts()
	for _, name := range w.order.State {
		delete(now, name)
		names = append(names, name)
	}
	for name, text := range now {
		if t := reflect.TypeOf(w.pkg.State[name]).Elem(); text != before[name] && t.PkgPath() != "sync" {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

// states calls a function with each variable in three states: with its initial value (cold), as the
// same call left it (warm), and with another value (poisoned).
func (w *worker) states(names []string, f reflect.Value, method bool, inputs func(i int) []reflect.Value, rest *settler, n int, misused map[int]bool) (list []State) {
	for _, name := range names {
		p := w.pkg.State[name]
		if p == nil {
			continue
		}
		v := reflect.ValueOf(p).Elem()
		s := State{Name: name}
		call := func(i int) string { return invoke("", f, inputs(i), method, rest).out }
		for i := 0; i < n; i++ {
			if inputs(i) == nil {
				break
			}
			if misused[i] {
				continue
			}
			restore(v, process.initial[name])
			before := stateText(v)
			cold := call(i)
			s.Writes = s.Writes || stateText(v) != before
			s.Warm = s.Warm || call(i) != cold
			poison(v)
			s.Depends = s.Depends || call(i) != cold
			restore(v, process.initial[name])
			s.Unstable = s.Unstable || call(i) != cold
		}
		restore(v, process.initial[name])
		list = append(list, s)
	}
	return list
}

func restore(v, to reflect.Value) {
	v.Set(cloneAll([]reflect.Value{to})[0])
}

// stateText is a variable's value as text.
func stateText(v reflect.Value) string {
	switch x := v.Addr().Interface().(type) {
	case *sync.Map:
		var list []string
		x.Range(func(key, value interface{}) bool {
			list = append(list, fmt.Sprint(show([]reflect.Value{reflect.ValueOf(key), reflect.ValueOf(value)}, true)))
			return true
		})
		sort.Strings(list)
		return strings.Join(list, "; ")
	}
	if load := v.Addr().MethodByName("Load"); load.IsValid() && load.Type().NumIn() == 0 && v.Type().PkgPath() == "sync/atomic" {
		return show(load.Call(nil), true)
	}
	return show([]reflect.Value{v}, true)
}

// poison gives a variable another value, including everything that it holds.
func poison(v reflect.Value) {
	if x, ok := v.Addr().Interface().(*sync.Map); ok {
		x.Range(func(key, value interface{}) bool {
			e := reflect.New(reflect.TypeOf(value)).Elem()
			e.Set(cloneAll([]reflect.Value{reflect.ValueOf(value)})[0])
			alter(e, 0, map[uintptr]bool{}, true)
			x.Store(key, e.Interface())
			return true
		})
		return
	}
	if load, store := v.Addr().MethodByName("Load"), v.Addr().MethodByName("Store"); load.IsValid() && store.IsValid() &&
		v.Type().PkgPath() == "sync/atomic" && load.Type().NumOut() == 1 {
		e := reflect.New(load.Type().Out(0)).Elem()
		e.Set(cloneAll(load.Call(nil))[0])
		alter(e, 0, map[uintptr]bool{}, true)
		if e.Kind() != reflect.Interface || !e.IsNil() {
			store.Call([]reflect.Value{e})
		}
		return
	}
	alter(v, 0, map[uintptr]bool{}, true)
}

// alter changes everything that a value refers to, including unexported fields if deep.
func alter(v reflect.Value, d int, seen map[uintptr]bool, deep bool) {
	if d > 4*depth {
		return
	}
	if deep && v.CanAddr() {
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	switch v.Kind() {
	case reflect.Ptr:
		if !v.IsNil() && !seen[v.Pointer()] {
			seen[v.Pointer()] = true
			alter(v.Elem(), d+1, seen, deep)
		}
	case reflect.Interface:
		if !v.IsNil() && v.CanSet() {
			e := reflect.New(v.Elem().Type()).Elem()
			e.Set(v.Elem())
			alter(e, d+1, seen, deep)
			v.Set(e)
		}
	case reflect.Slice:
		for i := 0; i < v.Len(); i++ {
			alter(v.Index(i), d+1, seen, deep)
		}
	case reflect.Array:
		for i := 0; v.CanAddr() && i < v.Len(); i++ {
			alter(v.Index(i), d+1, seen, deep)
		}
	case reflect.Struct:
		if p := v.Type().PkgPath(); p == "sync" || p == "internal/sync" {
			return
		}
		for i := 0; i < v.NumField(); i++ {
			alter(v.Field(i), d+1, seen, deep)
		}
	case reflect.Map:
		if !v.CanInterface() {
			return
		}
		for _, k := range v.MapKeys() {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(k))
			alter(e, d+1, seen, deep)
			v.SetMapIndex(k, e)
		}
	default:
		if !v.CanSet() {
			return
		}
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			v.SetInt(v.Int() ^ 0x55)
		case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
			v.SetUint(v.Uint() ^ 0x55)
		case reflect.Float32, reflect.Float64:
			v.SetFloat(v.Float() + 1)
		case reflect.Complex64, reflect.Complex128:
			v.SetComplex(v.Complex() + 1)
		case reflect.String:
			v.SetString(v.String() + "!")
		}
	}
}
