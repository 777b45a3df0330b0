//go:build ignore && go1.27

// Constraints of a method's type parameters that refer to those of the receiver.
package main

import "fmt"

type G[F any] struct{ f F }

func (g G[F]) To[H interface{ From(F) H }]() (h H) { return h.From(g.f) }

func (g *G[F]) Into[P ~*F](p P) { *p = g.f }

func (g G[F]) Any[S ~[]F | ~map[string]F](s S) int { return len(s) }

func (g G[F]) Fn[Fn ~func(F) R, R any](f Fn) R { return f(g.f) }

type Text string

func (Text) From(i int) Text { return Text(fmt.Sprintf("<%d>", i)) }

type Set[K comparable] map[K]struct{}

func (s Set[K]) Keys[L interface {
	~[]K
	Add(K) L
}](l L) L {
	for k := range s {
		l = l.Add(k)
	}
	return l
}

type list []string

func (l list) Add(s string) list { return append(l, s) }

type N[T interface{ ~int | ~float64 }] struct{ t T }

func (n N[T]) Sum[U interface{ *V | *T }, V ~int | ~float64](u U, v V) string {
	return fmt.Sprintf("%T %T %v", u, v, n.t)
}

type C struct{}

func (C) Conv[From, To interface{ ~int | ~uint8 }](f From) To { return To(f) }

func main() {
	g := G[int]{7}
	fmt.Println(g.To[Text]())
	var i int
	g.Into(&i)
	type ip *int
	var j int
	(&G[int]{8}).Into(ip(&j))
	fmt.Println(i, j, G[string]{}.Any([]string{"a"}), G[bool]{}.Any(map[string]bool{"k": true}))
	fmt.Println(g.Fn(func(i int) string { return fmt.Sprint(i, "!") }))
	fmt.Println(Set[string]{"k": {}}.Keys(list{"first"}))
	x := 1.5
	fmt.Println(N[int]{3}.Sum(&x, x), N[int]{3}.Sum(&i, x))
	fmt.Println(C{}.Conv[int, uint8](300), C{}.Conv[uint8, int](200))
}

// Output:
// <7>
// 7 8 1 1
// 7!
// [first k]
// *float64 float64 3 *int float64 3
// 44 200
