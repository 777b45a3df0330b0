//go:build go1.17

package probe

import (
	"reflect"
	"strings"
)

// Generic functions and types are called with the type arguments that benchmarks and tests use, if
// there is such an instance.

// floatInstance is the number of the instance with numbers that may be NaN (research's instances).
const floatInstance = 2

// mostFloats bounds the cases of that instance, if it is not the chosen one.
const mostFloats = 96

// choose replaces instances by those that fit more inputs. A type and its methods have the same one.
func (w *worker) choose() {
	if len(w.pkg.Instances) == 0 {
		return
	}
	fits := func(name string, k int) int {
		f := w.instance(name, k)
		if f == nil {
			return 0
		}
		return len(seedsOf(inBenches, name, reflect.TypeOf(f))) + len(seedsOf(inTests, name, reflect.TypeOf(f)))
	}
	count := map[string][]int{} // by type or function, for each instance
	for name := range w.pkg.Functions {
		if w.instance(name, 1) == nil {
			continue
		}
		of := count[genericOf(name)]
		if of == nil {
			of = make([]int, 1+len(w.pkg.Instances))
			count[genericOf(name)] = of
		}
		for k := range of {
			of[k] += fits(name, k)
		}
	}
	best := func(of []int) (k int) {
		for i, n := range of {
			if n > of[k] {
				k = i
			}
		}
		return k
	}
	chosen := map[string]interface{}{}
	w.floats = map[string]interface{}{}
	for name := range w.pkg.Functions {
		k := best(count[genericOf(name)])
		chosen[name] = w.instance(name, k)
		if f := w.instance(name, floatInstance); f != nil && k != floatInstance {
			w.floats[name] = f
		}
	}
	for i, x := range w.pkg.Types {
		k := best(count["type "+plainName(reflect.TypeOf(x).Elem())])
		if k == 0 {
			continue
		}
		for _, y := range w.pkg.Instances[k-1].Types {
			if plainName(reflect.TypeOf(y).Elem()) == plainName(reflect.TypeOf(x).Elem()) {
				w.pkg.Types[i] = y
			}
		}
	}
	w.pkg.Functions = chosen
}

// instance is a function with the type arguments of an instance; nil if there is none.
func (w *worker) instance(name string, k int) interface{} {
	if k == 0 || k > len(w.pkg.Instances) {
		return w.pkg.Functions[name]
	}
	return w.pkg.Instances[k-1].Functions[name]
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
