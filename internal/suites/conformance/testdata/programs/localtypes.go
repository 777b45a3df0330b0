// Types declared in generic functions: each instance has its own, named after
// its type arguments.
package main

import (
	"fmt"
	"reflect"
)

type Base[K any] struct{ k K }

func (b *Base[K]) Key() K        { return b.k }
func (b Base[K]) String() string { return fmt.Sprintf("base(%v)", b.k) }

func plain[A any]() any {
	type T struct{ a A }
	return T{}
}

func generic[A, B any]() []any {
	type T[C any] struct {
		a A
		b B
		c C
	}
	type L[C any] []T[C]
	type next struct{ n *next }
	return []any{T[int]{}, T[A]{}, L[B]{}, T[T[int]]{}, T[struct{ X L[next] }]{}, &next{}}
}

func closures[A any]() []any {
	type Outer struct{ a A }
	return func() []any {
		type Inner struct{ Outer }
		return append(func() []any {
			type Deep map[string]Inner
			return []any{Deep{}}
		}(), Inner{}, []Outer{})
	}()
}

func embeds[A any](a A) fmt.Stringer {
	type T struct {
		*Base[A]
		tag string
	}
	return T{&Base[A]{a}, "x"}
}

type List[T any] struct{ items []T }

func (l *List[T]) Local() any {
	type node struct {
		v    T
		next *node
	}
	return &node{}
}

// A local type only ever seen as the argument of another function.
func passes[A any]() any {
	type T [2]A
	return show[T]()
}

func show[A any]() any {
	type W struct{ A A }
	return W{}
}

// The function instantiated with a type of its own.
func nest[A any](n int) []any {
	type T struct{ a A }
	list := []any{T{}}
	if n > 0 {
		list = append(list, nest[int](n-1)...)
	} else {
		list = append(list, one[T](), one[*T]())
	}
	return list
}

func one[A any]() any {
	type T struct{ a A }
	return T{}
}

func same[A any]() any {
	type K struct{ a A }
	return K{}
}

func main() {
	type T int
	var all []any
	all = append(all, plain[int](), plain[string](), plain[T](), plain[map[string][]T](), plain[Base[T]]())
	all = append(all, generic[int, string]()...)
	all = append(all, generic[string, T]()...)
	all = append(all, closures[int]()...)
	all = append(all, closures[func(T) error]()...)
	all = append(all, embeds(3), embeds("s"), (&List[T]{}).Local(), (&List[int]{}).Local())
	all = append(all, passes[int](), passes[T](), show[T]())
	all = append(all, nest[int](0)...)
	all = append(all, nest[bool](1)...)
	for _, x := range all {
		t := reflect.TypeOf(x)
		fmt.Printf("%T %q %q %v\n", x, t.Name(), t.PkgPath(), t.Size())
	}
	fmt.Println(embeds(3), embeds("s"))

	// Identity.
	m := map[any]int{}
	for range 2 {
		m[same[int]()]++
		m[same[string]()]++
		m[same[T]()]++
	}
	fmt.Println(len(m), m[same[int]()], same[int]() == same[int](), same[int]() == same[T]())
	groups := 0
	for i, x := range all {
		for _, y := range all[:i] {
			if reflect.TypeOf(x) == reflect.TypeOf(y) {
				groups++
				fmt.Printf("same: %T\n", x)
			}
		}
	}
	fmt.Println(groups)
	fmt.Println(check[int](), check[string]())
	defer func() { fmt.Println(recover()) }()
	type K struct{ a int }
	_ = same[int]().(K)
}

func check[A any]() (r string) {
	type K struct{ a A }
	for _, x := range []any{K{}, same[A](), plain[A]()} {
		switch x.(type) {
		case K:
			r += "K"
		case struct{ a A }:
			r += "s"
		default:
			r += "?"
		}
	}
	return r
}
