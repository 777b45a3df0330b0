//go:build ignore && go1.27

// Function literals that stand for values of generic methods have numbers among the others.
package main

import (
	"fmt"
	"reflect"
	"runtime"
)

func name(f any) string { return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }

type T struct{ n int }

func (t T) Val[P any](P) int  { return t.n }
func (t *T) Ptr[P any](P) int { return t.n }
func (t T) plain() int        { return t.n }

type G[E any] struct{ e E }

func (g G[E]) Val[P any](P) E  { return g.e }
func (g *G[E]) Ptr[P any](P) E { return g.e }
func (g G[E]) own[P any](p P) {
	fmt.Println("own", name(g.Val[P]), name(g.Ptr[int]), name(G[E].Val[int]), name((*G[P]).Ptr[E]), name(func() P { return p }))
}

type W[E any] struct {
	*G[E]
	t T
}

//go:noinline
func run(f func()) { f() }

//go:noinline
func once(yield func() bool) { yield() }

//go:noinline
func plain(t T, g G[int]) {
	lit := func() int { return t.n }
	fmt.Println("plain", name(t.Val[int]), name(lit), name(t.Ptr[string]), name(T.Val[int]), name((*T).Val[int]), name((*T).Ptr[int]), name(t.plain), name(T.plain))
	fmt.Println(name(g.Val[int]), name(G[int].Val[int]), name(func() {}), name(W[int]{&g, t}.Val[int]), name(W[int].Ptr[bool]), name(func() {}))
	run(func() { fmt.Println(name(t.Val[any]), name(func() {}), name(T.Val[any]), name(func() {})) })
	_ = T.Val[int](t, 1)
	defer T.Val[int](t, 1)
	defer t.Val[int](1)
	fmt.Println(name(func() {}))
	var h func(int) int = t.Val
	fmt.Println(name(h), name(func() {}))
	for range once {
		fmt.Println(name(t.Val[int]), name(func() {}), name(T.Val[int]))
		for i := range 1 {
			fmt.Println(name(t.Val[int]), name(func() {}), name(T.Val[int]), i)
		}
	}
	fmt.Println(name(t.Val[int]), name(func() {}))
}

//go:noinline
func generic[E any](e E) {
	var g G[E]
	var t T
	fmt.Println("generic", name(t.Val[int]), name(t.Val[E]), name(g.Val[E]), name(G[E].Val[E]), name((*W[E]).Val[int]), name(func() { _ = e }))
	fmt.Println(name(W[E]{&g, t}.Val[E]), name(W[E]{}.t.Val[E]), name(func() {}))
	for range once {
		fmt.Println(name(g.Val[any]), name(func() {}), name(G[E].Val[int]))
	}
	g.own(1)
	g.own(e)
}

var (
	b = []any{T{}.Val[int], func() { _ = a }, T.Val[int], func() {}}
	a = []any{func() {}, T{}.Val[int], func() {}, (*T).plain, G[int]{}.Val[int], func() {}}
	c = func() []string { return []string{name(T.Val[int]), name(func() {})} }
)

func main() {
	plain(T{}, G[int]{})
	generic(1)
	generic("")
	for _, f := range append(a, b...) {
		fmt.Print(name(f), " ")
	}
	fmt.Println(c())
}

// Output:
// plain main.plain.func2 main.plain.func1 main.plain.func3 main.plain.func4 main.plain.func5 main.plain.func6 main.T.plain-fm main.T.plain
// main.plain.func7 main.plain.func8 main.plain.func9 main.plain.func10 main.plain.func11 main.plain.func12
// main.plain.func13.1 main.plain.func13.2 main.plain.func13.3 main.plain.func13.4
// main.plain.func16
// main.plain.func17 main.plain.func18
// main.plain-range1.1 main.plain-range1.2 main.plain-range1.3
// main.plain-range1.4 main.plain-range1.5 main.plain-range1.6 0
// main.plain.func19 main.plain.func20
// generic main.generic[...].func1 main.generic[...].func2 main.generic[...].func3 main.generic[...].func4 main.generic[...].func5 main.generic[...].func6
// main.generic[...].func7 main.generic[...].func8 main.generic[...].func9
// main.generic[...]-range1.1 main.generic[...]-range1.2 main.generic[...]-range1.3
// own main.G[...].own[...].func1 main.G[...].own[...].func2 main.G[...].own[...].func3 main.G[...].own[...].func4 main.G[...].own[...].func5
// own main.G[...].own[...].func1 main.G[...].own[...].func2 main.G[...].own[...].func3 main.G[...].own[...].func4 main.G[...].own[...].func5
// generic main.generic[...].func1 main.generic[...].func2 main.generic[...].func3 main.generic[...].func4 main.generic[...].func5 main.generic[...].func6
// main.generic[...].func7 main.generic[...].func8 main.generic[...].func9
// main.generic[...]-range1.1 main.generic[...]-range1.2 main.generic[...]-range1.3
// own main.G[...].own[...].func1 main.G[...].own[...].func2 main.G[...].own[...].func3 main.G[...].own[...].func4 main.G[...].own[...].func5
// own main.G[...].own[...].func1 main.G[...].own[...].func2 main.G[...].own[...].func3 main.G[...].own[...].func4 main.G[...].own[...].func5
// main.init.func1 main.init.func2 main.init.func3 main.(*T).plain main.init.func4 main.init.func5 main.init.func6 main.init.func7 main.init.func8 main.init.func9 [main.init.func10.1 main.init.func10.2]
