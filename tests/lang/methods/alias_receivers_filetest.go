//go:build ignore && go1.27

// Receivers that are named by aliases, and aliases of types with generic methods.
package main

import "fmt"

type T struct{ n int }

type A = T
type PA = *T

func (a A) Val[P any](p P) string   { return fmt.Sprintf("%T %d %v", a, a.n, p) }
func (a *A) Ptr[P any](p P) string  { a.n++; return fmt.Sprintf("%T %d %v", a, a.n, p) }
func (a PA) PPtr[P any](p P) string { a.n += 10; return fmt.Sprintf("%T %d %v", a, a.n, p) }

type G[E any] struct{ e E }

type GA[E any] = G[E]
type GI = G[int]
type Swap[A, B any] = func(B, A)

func (g G[E]) Fn[P any](f Swap[E, P], p P) GA[P] { f(p, g.e); return GA[P]{p} }

func main() {
	a := A{1}
	var p PA = &a
	fmt.Println(a.Val(1), a.Ptr("x"), p.PPtr(true), p.Val('x'), T.Val[int](a, 2), A.Val[int](a, 3), PA.Ptr[int](p, 4))
	fmt.Printf("%T\n", GA[string]{"s"}.Fn(func(i int, s string) { fmt.Println(i, s) }, 5))
	f := GI{7}.Fn[bool]
	fmt.Println(f(func(b bool, i int) { fmt.Println(b, i) }, true))
}

// Output:
// main.T 1 1 *main.T 2 x *main.T 12 true main.T 12 120 main.T 12 2 main.T 12 3 *main.T 13 4
// 5 s
// main.G[int]
// true 7
// {true}
