//go:build go1.17

package probe

import (
	"reflect"
	"sort"
	"strings"
)

// Generic functions and types are called with the type arguments that benchmarks and tests use most,
// also with types that tests declare. Fixed ones are taken if there are none. After that some cases have
// floats as type arguments, NaN and negative zero among them.

// mostFloats bounds the cases with floats.
const mostFloats = 96

// floatCase begins the arguments of such a case.
const floatCase = "with float64 "

// mostInstances bounds the instances of a function that are known.
const mostInstances = 8

// Instantiate notes a generic function with the type arguments of a call by tests or benchmarks.
func Instantiate(name string, function interface{}) {
	if !watches() {
		return
	}
	watch.Lock()
	defer watch.Unlock()
	if watch.phase == ownCalls {
		return
	}
	known := watch.instances[name]
	for _, f := range known {
		if reflect.TypeOf(f) == reflect.TypeOf(function) {
			return
		}
	}
	if len(known) < mostInstances {
		if watch.instances == nil {
			watch.instances = map[string][]interface{}{}
		}
		watch.instances[name] = append(known, function)
	}
}

// choose replaces instances by those that fit most inputs. A type and its methods have the same one. Of
// several instances of a function, one that returns such a type comes first: it may be its constructor.
func (w *worker) choose() {
	names := map[string][]string{} // of generic functions, or of a type's methods
	functions := map[string]interface{}{}
	for name, f := range w.pkg.Functions {
		if f != nil {
			functions[name] = f
		}
		if f == nil || w.pkg.Floats.Functions[name] != nil {
			names[genericOf(name)] = append(names[genericOf(name)], name)
		}
	}
	types := append([]interface{}(nil), w.pkg.Types...)
	chosen := map[reflect.Type]bool{}
	generics := sortedLists(names)
	sort.SliceStable(generics, func(i, k int) bool {
		return strings.HasPrefix(generics[i], "type ") && !strings.HasPrefix(generics[k], "type ")
	})
	for _, generic := range generics {
		list := names[generic]
		var best Instance
		most := 0
		for _, x := range w.instances(generic, list) {
			n := 0
			if f := x.Functions[generic]; f != nil && returns(reflect.TypeOf(f), chosen) {
				n = 2 * mostSeeds
			}
			for name, f := range x.Functions {
				n += len(seedsOf(inBenches, name, reflect.TypeOf(f))) + len(seedsOf(inTests, name, reflect.TypeOf(f)))
			}
			if n > most {
				best, most = x, n
			}
		}
		if most == 0 {
			continue
		}
		for _, name := range list {
			delete(functions, name)
			if f := best.Functions[name]; f != nil {
				functions[name] = f
			}
		}
		types = replaced(types, best.Types)
		for _, x := range best.Types {
			chosen[reflect.TypeOf(x).Elem()] = true
		}
	}
	w.pkg.Functions, w.pkg.Types = functions, types
}

func sortedLists(m map[string][]string) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// returns reports whether a function returns one of the types, or a pointer to it.
func returns(f reflect.Type, types map[reflect.Type]bool) bool {
	for i := 0; i < f.NumOut(); i++ {
		if t := f.Out(i); types[t] || t.Kind() == reflect.Ptr && types[t.Elem()] {
			return true
		}
	}
	return false
}

// fitting is a function with type arguments that fit inputs of a test or a benchmark; nil if none do.
func (w *worker) fitting(name string, input []reflect.Value) interface{} {
	watch.Lock()
	defer watch.Unlock()
	for _, f := range append([]interface{}{w.pkg.Functions[name]}, watch.instances[name]...) {
		if f != nil && fits(reflect.TypeOf(f), input) {
			return f
		}
	}
	return nil
}

// fits reports whether a function can be called with a list.
func fits(f reflect.Type, list []reflect.Value) bool {
	ok := len(list) == f.NumIn()
	for i := 0; ok && i < len(list); i++ {
		ok = list[i].Type() == f.In(i)
	}
	return ok
}

// instances are those that tests use of a generic function, or of a type with its methods.
func (w *worker) instances(generic string, names []string) (list []Instance) {
	watch.Lock()
	defer watch.Unlock()
	if !strings.HasPrefix(generic, "type ") {
		for _, f := range watch.instances[generic] {
			list = append(list, Instance{Functions: map[string]interface{}{generic: f}})
		}
		sort.Slice(list, func(i, k int) bool {
			return reflect.TypeOf(list[i].Functions[generic]).String() < reflect.TypeOf(list[k].Functions[generic]).String()
		})
		return list
	}
	at := map[reflect.Type]map[string]interface{}{}
	for _, name := range names {
		for _, f := range watch.instances[name] {
			t := reflect.TypeOf(f).In(0)
			if strings.HasPrefix(name, "(*") {
				t = t.Elem()
			}
			if at[t] == nil {
				at[t] = map[string]interface{}{}
			}
			at[t][name] = f
		}
	}
	for t, functions := range at {
		for _, name := range names {
			of := t
			if strings.HasPrefix(name, "(*") {
				of = reflect.PtrTo(t)
			}
			// Tests need not call all methods.
			if m, ok := of.MethodByName(name[strings.LastIndexByte(name, '.')+1:]); ok && functions[name] == nil {
				functions[name] = m.Func.Interface()
			}
		}
		list = append(list, Instance{functions, []interface{}{reflect.Zero(reflect.PtrTo(t)).Interface()}})
	}
	sort.Slice(list, func(i, k int) bool {
		return reflect.TypeOf(list[i].Types[0]).String() < reflect.TypeOf(list[k].Types[0]).String()
	})
	return list
}

// replaced are types with others in the place of those of the same name, or added.
func replaced(types, by []interface{}) []interface{} {
	types = append([]interface{}(nil), types...)
next:
	for _, x := range by {
		for i, old := range types {
			if plainName(reflect.TypeOf(old).Elem()) == plainName(reflect.TypeOf(x).Elem()) {
				types[i] = x
				continue next
			}
		}
		types = append(types, x)
	}
	return types
}

// withFloats adds cases with floats as type arguments, if a function or type has type parameters.
func (w *worker) withFloats(r *Report, observe func(most int) *Report) {
	name := r.Name
	if method := strings.HasPrefix(name, "("); method || w.skipped(WithFloats(name)) {
		return // methods are called in sequences
	}
	found := w.pkg.Floats.Functions[name] != nil
	for _, x := range w.pkg.Floats.Types {
		found = found || name == "type "+plainName(reflect.TypeOf(x).Elem())
	}
	if !found {
		return
	}
	chosen := w.pkg
	w.pkg = &Package{Functions: map[string]interface{}{}, Types: replaced(chosen.Types, chosen.Floats.Types), State: chosen.State}
	for name, f := range chosen.Functions {
		w.pkg.Functions[name] = f
	}
	for name, f := range chosen.Floats.Functions {
		w.pkg.Functions[name] = f
	}
	w.special = true
	defer func() { w.pkg, w.special = chosen, false }()
	x := observe(w.limit(WithFloats(name), mostFloats))
	for _, c := range x.Cases {
		r.Cases = append(r.Cases, Case{floatCase + c.Args, c.Out})
	}
	r.Floats = len(x.Cases)
}

// WithFloats is the key of Limits for the cases with floats of a function or type.
func WithFloats(name string) string { return "float64 " + name }

// ofTests reports whether a type is declared by the package's tests: a caller may see what is in it.
func ofTests(t reflect.Type) bool {
	switch path := t.PkgPath(); {
	case t.Name() == "" || process.home == "":
		return false
	case path == process.home:
		return process.types != nil && !process.types[plainName(t)]
	default:
		return path == process.home+"_test"
	}
}

// reachable reports whether callers can reach a field.
func reachable(t reflect.Type, i int) bool { return t.Field(i).PkgPath == "" || ofTests(t) }

// field is a field of a struct, settable if callers can reach it.
func field(v reflect.Value, i int) reflect.Value {
	if v.Type().Field(i).PkgPath != "" && ofTests(v.Type()) {
		return settable(v.Field(i))
	}
	return v.Field(i)
}

// genericOf is what has type parameters: a method's type, or the function.
func genericOf(name string) string {
	if !strings.HasPrefix(name, "(") {
		return name
	}
	recv := strings.TrimPrefix(name[1:], "*")
	return "type " + recv[:strings.IndexByte(recv, ')')]
}

// plainName is a type's name without type arguments.
func plainName(t reflect.Type) string {
	name := t.Name()
	if i := strings.IndexByte(name, '['); i >= 0 {
		name = name[:i]
	}
	return name
}
