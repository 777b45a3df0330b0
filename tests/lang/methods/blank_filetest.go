//go:build ignore && go1.27

// Blank names: of methods, receivers, type parameters and parameters.
package main

import "fmt"

type T struct{ n int }

func (T) _[P any](p P)                              { panic(p) }
func (T) _[P, Q any](P) Q                           { panic("") }
func (_ T) A[_ any](n int) int                      { return n }
func (*T) B[_, P any](_ P, _ ...int) (_ P, _ error) { return }

type G[K comparable, V any] struct{ k K }

func (G[_, _]) C[_ any]() string      { return "c" }
func (g G[K, _]) D[P any](_ P, _ K) K { return g.k }
func (_ G[_, V]) E[_, V2 any](V, V2)  {}
func (G[_, _]) _[_ any]()             {}

func main() {
	var t T
	fmt.Println(t.A[string](3))
	fmt.Println(t.B[int]("x", 1, 2))
	g := G[string, bool]{"k"}
	fmt.Println(g.C[int](), g.D(1, "p"))
	g.E[int8](true, 2.5)
	f := G[int, any]{5}.D[error]
	fmt.Println(f(nil, 0), T.A[any](t, 4))
}

// Output:
// 3
//  <nil>
// c k
// 5 4
