//go:build ignore && go1.27

// Generic methods that nobody instantiates are checked, and cost nothing.
package main

import "fmt"

type T struct{}

func (T) Never[P any](p P) { undefinedAtRunTime(p) }

func (t *T) Recursive[P any](p P) { t.Recursive(p); t.Other[P]() }

func (t *T) Other[P any]() { t.Recursive(*new(P)) }

type G[E any] struct{}

func (G[E]) Unused[P interface{ ~int }](E) (p P) { return p }

func undefinedAtRunTime[P any](P) { panic("never") }

type Lone[E any] struct{}

func (Lone[E]) M[P any]() [8]E { return [8]E{} }

func main() {
	var x any = T{}
	var y any = &G[int]{}
	fmt.Printf("%T %T\n", x, y)
	if false {
		T{}.Never(1)
	}
}

// Output:
// main.T *main.G[int]
