//go:build ignore && go1.27

// Method expressions of generic methods whose receivers depend on the type parameters around them.
package main

import (
	"fmt"
	"sync"
)

type T[E any] struct{ e E }

func (t T[E]) Val[P any](p P) string                { return fmt.Sprintf("%T %v %T %v", t, t.e, p, p) }
func (t *T[E]) Ptr[P any](p P) string               { return fmt.Sprintf("%T %v %T %v", t, t.e, p, p) }
func (t *T[E]) Many[P, Q any](p P, q ...Q) (P, []Q) { return p, q }
func (t *T[E]) None[P any](p P)                     { fmt.Println("none", t.e, p) }

// Of a method of the type itself.
func (t T[E]) self[P any](p P) string {
	return T[E].Val[P](t, p) + ", " + (*T[P]).Val[E](&T[P]{p}, t.e)
}

type U struct{ n int }

func (u U) Val[P any](p P) string  { return fmt.Sprintf("%d %T %v", u.n, p, p) }
func (u *U) Ptr[P any](p P) string { u.n++; return fmt.Sprintf("%d %T %v", u.n, p, p) }

type (
	Embeds[E any]        struct{ T[E] }
	EmbedsPointer[E any] struct {
		n int
		*T[E]
	}
	Deep[E any]    struct{ EmbedsPointer[E] }
	Plain[E any]   struct{ U }
	Alias[E any]   = T[E]
	Methods[E any] struct {
		fmt.Stringer
		Alias[E]
	}
)

func identity[X any](x X) X { return x }

func run[E any](e E) {
	t, u := T[E]{e}, U{1}

	// Called at once.
	fmt.Println(T[E].Val[uint](t, 1), (*T[E]).Val[E](&t, e), (*T[E]).Ptr(&t, e))
	fmt.Println(Alias[E].Val[uint](t, 2), ((*Alias[E]).Ptr[E])(&t, e), T[int].Val[E](T[int]{3}, e))
	fmt.Println(T[T[E]].Val[[]E](T[T[E]]{t}, []E{e}), t.self(&u == nil))

	// As values.
	f, g := T[E].Val[uint], (*T[E]).Ptr[E]
	var h func(*T[E], []E) string = (*T[E]).Ptr
	fmt.Println(f(t, 4), g(&t, e), h(&t, nil), identity((*T[E]).Ptr[uint8])(&t, 5))
	for i, f := range []func(T[E], int) string{T[E].Val[int], func(t T[E], i int) string { return T[E].Val(t, i) }} {
		fmt.Println(f(t, i))
	}
	var boxed any = (*T[E]).Many[int, E]
	m, ok := boxed.(func(*T[E], int, ...E) (int, []E))
	fmt.Printf("%T %t\n", boxed, ok)
	fmt.Println(m(&t, 6, e, e))
	fmt.Println((*T[E]).Many[string, E](&t, "list", []E{e, e, e}...))

	// Through embedding.
	d := Deep[E]{EmbedsPointer[E]{7, &t}}
	fmt.Println(Embeds[E].Val[E](Embeds[E]{t}, e), (*Embeds[E]).Ptr[int](&Embeds[E]{t}, 8))
	fmt.Println(Deep[E].Val[E](d, e), Deep[E].Ptr[int](d, 9), (*Deep[E]).Ptr[E](&d, e))
	fmt.Println(Plain[E].Val[E](Plain[E]{u}, e), (*Plain[E]).Ptr[E](&Plain[E]{u}, e))
	fmt.Println(Methods[E].Val[int](Methods[E]{nil, t}, 10), struct{ T[E] }.Val[int](struct{ T[E] }{t}, 11))
	type Local struct {
		*T[E]
		U int
	}
	type LocalPlain struct{ U }
	fmt.Println(Local.Ptr[E](Local{&t, 1}, e), LocalPlain.Val[int](LocalPlain{u}, 12), (*LocalPlain).Ptr(&LocalPlain{u}, 13))

	// Deferred, and in goroutines.
	defer (*T[E]).None[E](&t, e)
	n := (*T[E]).None[string]
	defer n(&t, "stored")
	func() {
		var wg sync.WaitGroup
		wg.Add(1)
		go group.Done[E](group{&wg}, e)
		wg.Wait()
	}()
	for range func(yield func() bool) { yield() } {
		defer (*Embeds[E]).None(&Embeds[E]{t}, "in a loop")
	}
}

type group struct{ *sync.WaitGroup }

func (g group) Done[E any](e E) { fmt.Println("done", e); g.WaitGroup.Done() }

func main() {
	run(1)
	run("x")
}

// Output:
// main.T[int] 1 uint 1 main.T[int] 1 int 1 *main.T[int] 1 int 1
// main.T[int] 1 uint 2 *main.T[int] 1 int 1 main.T[int] 3 int 1
// main.T[main.T[int]] {1} []int [1] main.T[int] 1 bool false, main.T[bool] false int 1
// main.T[int] 1 uint 4 *main.T[int] 1 int 1 *main.T[int] 1 []int [] *main.T[int] 1 uint8 5
// main.T[int] 1 int 0
// main.T[int] 1 int 1
// func(*main.T[int], int, ...int) (int, []int) true
// 6 [1 1]
// list [1 1 1]
// main.T[int] 1 int 1 *main.T[int] 1 int 8
// main.T[int] 1 int 1 *main.T[int] 1 int 9 *main.T[int] 1 int 1
// 1 int 1 2 int 1
// main.T[int] 1 int 10 main.T[int] 1 int 11
// *main.T[int] 1 int 1 1 int 12 2 int 13
// done 1
// none 1 in a loop
// none 1 stored
// none 1 1
// main.T[string] x uint 1 main.T[string] x string x *main.T[string] x string x
// main.T[string] x uint 2 *main.T[string] x string x main.T[int] 3 string x
// main.T[main.T[string]] {x} []string [x] main.T[string] x bool false, main.T[bool] false string x
// main.T[string] x uint 4 *main.T[string] x string x *main.T[string] x []string [] *main.T[string] x uint8 5
// main.T[string] x int 0
// main.T[string] x int 1
// func(*main.T[string], int, ...string) (int, []string) true
// 6 [x x]
// list [x x x]
// main.T[string] x string x *main.T[string] x int 8
// main.T[string] x string x *main.T[string] x int 9 *main.T[string] x string x
// 1 string x 2 string x
// main.T[string] x int 10 main.T[string] x int 11
// *main.T[string] x string x 1 int 12 2 int 13
// done x
// none x in a loop
// none x stored
// none x x
