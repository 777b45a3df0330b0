//go:build ignore && go1.27

// Iterators from generic methods, and loops over functions in them.
package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
)

type Seq[V any] iter.Seq[V]

func (s Seq[V]) Map[W any](f func(V) W) Seq[W] {
	return func(yield func(W) bool) {
		for v := range s {
			if !yield(f(v)) {
				return
			}
		}
	}
}

func (s Seq[V]) Until[W comparable](f func(V) W, stop W) (n int, at V) {
	for v := range s {
		at = v
		defer func() { n *= 10 }()
		if f(v) == stop {
			return
		}
		n++
	}
	return -1, at
}

func (s Seq[V]) Group[K comparable](f func(V) K) map[K][]V {
	m := map[K][]V{}
outer:
	for v := range s {
		for k := range maps.Keys(m) {
			if k == f(v) {
				m[k] = append(m[k], v)
				continue outer
			}
		}
		m[f(v)] = []V{v}
	}
	return m
}

func main() {
	s := Seq[int](slices.Values([]int{1, 2, 3, 4, 5}))
	t := s.Map(func(i int) string { return fmt.Sprint(i * i) })
	for v := range t {
		if fmt.Print(v, " "); len(v) > 1 {
			break
		}
	}
	fmt.Println(t.Until(func(s string) int { return len(s) }, 2))
	fmt.Println(s.Until(func(i int) bool { return i > 9 }, true))
	fmt.Println(s.Group(func(i int) bool { return i%2 == 0 }), t.Group(func(s string) byte { return s[len(s)-1] }))
	next, stop := iter.Pull(iter.Seq[string](t))
	fmt.Println(next())
	stop()
}

// Output:
// 1 4 9 16 30000 16
// -100000 5
// map[false:[1 3 5] true:[2 4]] map[49:[1] 52:[4] 53:[25] 54:[16] 57:[9]]
// 1 true
