//go:build ignore && go1.27

// Types declared in a generic method differ from instance to instance.
package main

import (
	"fmt"
	"reflect"
)

type T struct{}

func (T) New[P any](p P) any {
	type local struct{ p P }
	return local{p}
}

type G[E any] struct{ e E }

func (g *G[E]) New[P any](p P) (any, any) {
	type both struct {
		e E
		p P
	}
	type list []both
	return both{g.e, p}, list{{g.e, p}}
}

func (g G[E]) Plain() any {
	type own struct{ E any }
	return own{g.e}
}

func main() {
	var t T
	a, b, c := t.New(1), t.New("x"), t.New(2)
	fmt.Println(reflect.TypeOf(a) == reflect.TypeOf(b), reflect.TypeOf(a) == reflect.TypeOf(c), a == t.New(1), a == c)
	fmt.Println(a, b, c)
	g := &G[int]{1}
	x, y := g.New("s")
	fmt.Println(x, y)
	x2, _ := (&G[int]{1}).New("s")
	x3, _ := (&G[int8]{1}).New("s")
	fmt.Println(x == x2, x == x3, reflect.TypeOf(x3).NumField(), reflect.TypeOf(x3).Field(0).Type)
	fmt.Println(g.Plain())
}

// Output:
// false true true false
// {1} {x} {2}
// {1 s} [{1 s}]
// true false 2 int8
// {1}
