//go:build ignore && go1.27

// How %T and package reflect name types of a generic method.
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

func (g *G[E]) New[P any](p P) any {
	type both struct {
		e E
		p P
	}
	return both{g.e, p}
}

type Box[P any] struct{ p P }

func (g G[E]) Boxed[P any](p P) (any, any) {
	type in struct{ e E }
	return Box[P]{p}, Box[in]{in{g.e}}
}

func (g G[E]) Nested[P any](p P) any {
	return func() any {
		type deep struct{ p P }
		return []deep{{p}}
	}()
}

func show(x any) { t := reflect.TypeOf(x); fmt.Printf("%T | %s | %s\n", x, t.Name(), t.PkgPath()) }

func main() {
	show(T{}.New(1))
	show(T{}.New([]string{}))
	show((&G[string]{}).New(1.5))
	a, b := G[bool]{}.Boxed(T{})
	show(a)
	show(b)
	show(G[bool]{}.Nested(uint8(1)))
}

// Output:
// main.local[int] | local[int] | main
// main.local[[]string] | local[[]string] | main
// main.both[string,float64] | both[string,float64] | main
// main.Box[main.T] | Box[main.T] | main
// main.Box[main.in[bool,main.T]·3] | Box[main.in[bool,main.T]·3] | main
// \"[]main.deep[bool,uint8] |  | "
