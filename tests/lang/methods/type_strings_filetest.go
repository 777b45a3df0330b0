//go:build ignore && go1.27

// Strings of types that are instantiated within generic methods.
package main

import "fmt"

type Pair[A, B any] struct {
	a A
	b B
}

type Tree[K any] struct{ l, r *Tree[K] }

type T struct{}

func (T) Types[P any, Q fmt.Stringer](p P, q Q) {
	fmt.Printf("%T %T %T %T\n", Pair[P, Q]{}, Tree[Pair[Q, P]]{}, map[string]Pair[int, []P]{}, func(Pair[P, Q]) Q { return q })
}

type G[E any] struct{ e E }

func (g *G[E]) Types[P any](p P) {
	fmt.Printf("%T %T %T %T %v\n", g, G[P]{}, &Tree[G[E]]{}, [2]chan<- Tree[P]{}, struct {
		E E
		P *P
	}{})
}

type S string

func (s S) String() string { return string(s) }

func main() {
	T{}.Types(1, S(""))
	T{}.Types[any]([]S{}, fmt.Stringer(S("")))
	(&G[int]{}).Types("x")
	(&G[*T]{}).Types(Pair[int8, G[bool]]{})
	(&G[[]error]{}).Types(struct{ X int }{})
}

// Output:
// main.Pair[int,main.S] main.Tree[main.Pair[main.S,int]] map[string]main.Pair[int,[]int] func(main.Pair[int,main.S]) main.S
// main.Pair[interface {},fmt.Stringer] main.Tree[main.Pair[fmt.Stringer,interface {}]] map[string]main.Pair[int,[]interface {}] func(main.Pair[interface {},fmt.Stringer]) fmt.Stringer
// *main.G[int] main.G[string] *main.Tree[main.G[int]] [2]chan<- main.Tree[string] {0 <nil>}
// *main.G[*main.T] main.G[main.Pair[int8,main.G[bool]]] *main.Tree[main.G[*main.T]] [2]chan<- main.Tree[main.Pair[int8,main.G[bool]]] {<nil> <nil>}
// *main.G[[]error] main.G[struct { X int }] *main.Tree[main.G[[]error]] [2]chan<- main.Tree[struct { X int }] {[] <nil>}
