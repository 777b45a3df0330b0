//go:build ignore && go1.27

// Keys that come from embedded generic structs.
package main

import "fmt"

type Box[E any] struct {
	val E
	n   int
}

type Pair[A, B any] struct {
	Box[A]
	second B
}

type Three[A any] struct {
	Pair[A, []A]
	third map[string]A
}

type Alias = Box[string]

type Plain struct{ Alias }

type GAlias[T any] = Pair[T, T]

func make3[A any](a A) Three[A] { return Three[A]{val: a, second: []A{a}, third: map[string]A{"k": a}} }

func inMethod[P any](p P) (r Pair[P, int]) {
	type local struct{ Box[P] }
	l := local{val: p, n: 1}
	return Pair[P, int]{val: l.val, n: l.n + 1, second: 3}
}

func main() {
	fmt.Printf("%+v\n", Pair[int, string]{val: 1, second: "s"})
	fmt.Printf("%+v\n", make3("x"))
	fmt.Printf("%+v\n", make3([]bool{true}))
	fmt.Printf("%+v %+v\n", Plain{val: "alias", n: 2}, Plain{Alias: Alias{n: 1}})
	fmt.Printf("%+v\n", GAlias[uint8]{val: 1, second: 'a'})
	fmt.Printf("%+v\n", inMethod(2.5))
}

// Output:
// {Box:{val:1 n:0} second:s}
// {Pair:{Box:{val:x n:0} second:[x]} third:map[k:x]}
// {Pair:{Box:{val:[true] n:0} second:[[true]]} third:map[k:[true]]}
// {Alias:{val:alias n:2}} {Alias:{val: n:1}}
// {Box:{val:1 n:0} second:97}
// {Box:{val:2.5 n:2} second:3}
