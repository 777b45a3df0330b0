package probe

import (
	"cmp"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// named is a type that only tests know, so its fields are shown and changed.
type named struct {
	name string
	size float64
}

// A bag is what a package declares, and tests use with their own types.
type bag[E comparable] struct{ List []E }

func newBag[E comparable]() *bag[E] { return &bag[E]{} }

func (b *bag[E]) Put(e E) int {
	Instantiate("(*bag).Put", (*bag[E]).Put)
	defer Enter("(*bag).Put", true, &b, &e)()
	b.List = append(b.List, e)
	return len(b.List)
}

func (b *bag[E]) Has(e E) bool { return slices.Contains(b.List, e) }

func sorted[E any, K cmp.Ordered](list []E, key func(E) K) []E {
	Instantiate("sorted", sorted[E, K])
	defer Enter("sorted", false, &list, &key)()
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b E) int { return cmp.Compare(key(a), key(b)) })
	return list
}

// TestInstances tests that generic functions and types are called with the type arguments that tests
// use, and with floats.
func TestInstances(t *testing.T) {
	w := &worker{pkg: &Package{
		Functions: map[string]any{"(*bag).Put": (*bag[int]).Put, "(*bag).Has": (*bag[int]).Has, "newBag": newBag[int], "sorted": nil},
		Types:     []any{(*bag[int])(nil)},
		Floats: Instance{map[string]any{"(*bag).Put": (*bag[float64]).Put, "(*bag).Has": (*bag[float64]).Has, "newBag": newBag[float64],
			"sorted": sorted[float64, float64]}, []any{(*bag[float64])(nil)}},
	}}
	process.home, process.types = reflect.TypeOf(named{}).PkgPath(), map[string]bool{"bag": true}
	defer func() { process.types = nil }()
	watchOn(inTests)
	newBag[named]().Put(named{"a", 1})
	sorted([]named{{"b", 2}, {"a", 1}}, func(n named) string { return n.name })
	watchOn(ownCalls)
	w.choose()
	for name, want := range map[string]any{"(*bag).Put": (*bag[named]).Put, "(*bag).Has": (*bag[named]).Has, "newBag": newBag[int], "sorted": sorted[named, string]} {
		if got := reflect.TypeOf(w.pkg.Functions[name]); got != reflect.TypeOf(want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := reflect.TypeOf(w.pkg.Types[0]); got != reflect.TypeOf(newBag[named]()) {
		t.Error(got)
	}
	if w.fitting("sorted", []reflect.Value{reflect.ValueOf(1)}) != nil {
		t.Error("an input of another type fits")
	}
	list := []reflect.Value{reflect.ValueOf([]named{{"a", 1}})}
	if changes := newDeriver(w, cloneAll(list), rand.New(rand.NewSource(1))).elements; len(changes) == 0 {
		t.Error("fields of a type of the tests are not changed")
	}
	for _, name := range []string{"sorted", "type bag"} {
		r := w.call(name)
		special := 0
		for _, c := range r.Cases[len(r.Cases)-r.Floats:] {
			if strings.HasPrefix(c.Args, floatCase) && (strings.Contains(c.Args, "NaN") || strings.Contains(c.Out, "NaN")) {
				special++
			}
		}
		if usual := len(r.Cases) - r.Floats; usual == 0 || special < 8 || !strings.Contains(r.Cases[0].Args+r.Cases[3].Args, "name:") {
			t.Errorf("%s: %d cases, %d with NaN of %d: %.300q", name, usual, special, r.Floats, r.Cases[0])
		}
	}
}
