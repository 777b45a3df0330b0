// Numbers of function literals in generic functions: gc makes literals of method values, method expressions and instances of functions
// that depend on type parameters, and these count.
package main

import (
	"fmt"
	"reflect"
	"runtime"
)

func name(f any) string { return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }

type G[E any] struct{ e E }

func (g G[E]) V(x E) E  { return x }
func (g *G[E]) P(x E) E { return x }

func (g G[E]) own() {
	_, _ = g.V, G[E].V
	fmt.Println("own", name(g.V), name(g.P), name(func() {}))
}

type (
	W[E any]  struct{ G[E] }
	WP[E any] struct{ *G[E] }
	I[E any]  interface{ V(E) E }
	T         struct{}
	WT        struct{ T }
)

func (T) V(int) int { return 1 }

func gen[E any](x E) E { return x }

//go:noinline
func numbers[E any, X I[int], Y any](x X) {
	var g G[E]
	lit := func() {}
	_, _, _ = G[E].V, (*G[E]).P, (*G[E]).V
	fmt.Println("G", name(g.V), name(g.P), name((&g).P), name(lit), name(func() {}))
	_, _, _ = gen[E], gen[[]Y], gen[map[string]struct{ f func(*Y) }]
	fmt.Println("functions", name(gen[int]), name(gen[[]int]), name(x.V), name(X.V), name(func() {}))
	w := W[E]{g}
	_, _ = W[E].V, (*W[E]).P
	fmt.Println("W", name(w.V), name(w.P), name(func() {}))
	wp := WP[E]{&g}
	_, _, _ = WP[E].V, (*WP[E]).P, WP[E].P
	fmt.Println("WP", name(wp.V), name(wp.P), name(func() {}))
	var gi G[int]
	fmt.Println("G[int]", name(gi.V), name(gi.P), name(G[int].V), name(W[int].V), name(WT.V), name(T{}.V), name(WT{}.V), name(func() {}))
	var i I[E] = g
	fmt.Println("I[E]", name(i.V), name(I[E].V), name(func() {}))
	type L struct{ G[E] }
	type L2 struct{ T }
	_, _, _, _ = L.V, L2.V, struct{ G[E] }.V, struct{ T }.V
	fmt.Println("local", name(L{}.V), name(L2{}.V), name(struct{ G[E] }{}.V), name(struct{ T }{}.V), name(func() {}))
	_, _ = G[E].V(g, g.e), (func(G[E], E) E)(G[E].V)
	_, _, _ = g.V(g.e), gen[E](g.e), gen(g.e)
	defer gen[E](g.e)
	defer g.V(g.e)
	go G[E].V(g, g.e)
	var inferred func(E) E = gen
	fmt.Println("calls", inferred != nil, name(func() {}))
}

//go:noinline
func plain[E any](e E) {
	type L struct{ G[int] }
	fmt.Println("plain", name(G[int]{}.V), name(L{}.V), name(func() {}))
}

func (g G[E]) each(yield func(E) bool) { yield(g.e) }

func each[E any](yield func(E) bool) {}

// What a range calls is no value.
//
//go:noinline
func ranges[E any](e E) {
	var g G[E]
	for range g.each {
	}
	fmt.Println("range", name(func() {}))
	for range each[E] {
	}
	for range g.each {
	}
	fmt.Println("range", name(func() {}))
	x := g.each
	for range x {
	}
	fmt.Println("range", name(func() {}))
	for range []func(func(E) bool){g.each}[0] {
	}
	fmt.Println("range", name(func() {}))
}

func notGeneric() {
	type L struct{ G[int] }
	fmt.Println("not generic", name(G[int]{}.V), name(L{}.V), name(L.V), name(gen[L]), name(func() {}))
}

func main() {
	numbers[int, G[int], string](G[int]{})
	numbers[string, I[int], int](G[int]{})
	G[int]{}.own()
	plain(1)
	ranges(1)
	notGeneric()
}
