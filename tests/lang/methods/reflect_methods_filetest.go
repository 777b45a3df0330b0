//go:build ignore && go1.27

// Package reflect sees no generic methods, neither by number nor by name.
package main

import (
	"fmt"
	"reflect"
)

type T struct{ F int }

func (T) A[P any](P)    {}
func (T) B()            {}
func (*T) C[P any]() P  { return *new(P) }
func (*T) D(int) string { return "d" }
func (T) Z[P, Q any](Q) {}

type G[E any] struct{ T }

func (G[E]) A()           {}
func (G[E]) E[P any](E) P { return *new(P) }
func (*G[E]) F(e E) E     { return e }

type I interface{ B() }

func show(x any) {
	t := reflect.TypeOf(x)
	fmt.Print(t, " ", t.NumMethod())
	for m := range t.Methods() {
		fmt.Print(" ", m.Index, m.Name, m.Type)
	}
	for _, name := range []string{"A", "C", "E", "Z", "D"} {
		_, ok := t.MethodByName(name)
		fmt.Print(" ", ok, reflect.ValueOf(x).MethodByName(name).IsValid())
	}
	fmt.Println()
}

func main() {
	show(T{})
	show(&T{})
	show(G[int]{})
	show(&G[string]{})
	show(struct{ *T }{})
	show(struct {
		I
		n int
	}{})
	t := reflect.TypeFor[*T]()
	fmt.Println(t.Implements(reflect.TypeFor[I]()), t.Implements(reflect.TypeFor[interface{ C() int }]()))
	fmt.Println(reflect.ValueOf(&T{}).MethodByName("D").Call([]reflect.Value{reflect.ValueOf(1)})[0])
	fmt.Println(t.Method(1).Name, t.Elem().Method(0).Name, reflect.TypeOf((*T).C[int]), reflect.TypeOf(T{}.Z[int, bool]))
}

// Output:
// main.T 1 0Bfunc(main.T) false false false false false false false false false false
// *main.T 2 0Bfunc(*main.T) 1Dfunc(*main.T, int) string false false false false false false false false true true
// main.G[int] 2 0Afunc(main.G[int]) 1Bfunc(main.G[int]) true true false false false false false false false false
// *main.G[string] 4 0Afunc(*main.G[string]) 1Bfunc(*main.G[string]) 2Dfunc(*main.G[string], int) string 3Ffunc(*main.G[string], string) string true true false false false false false false true true
// struct { *main.T } 2 0Bfunc(struct { *main.T }) 1Dfunc(struct { *main.T }, int) string false false false false false false false false true true
// struct { main.I; n int } 1 0Bfunc(struct { main.I; n int }) false false false false false false false false false false
// true false
// d
// D B func(*main.T) int func(bool)
