//go:build ignore && go1.27

// Inference from functions: their parameters, results and generic functions as arguments.
package main

import (
	"fmt"
	"strconv"
	"strings"
)

type List[E any] []E

func (l List[E]) Map[F any](f func(E) F) (r List[F]) {
	for _, e := range l {
		r = append(r, f(e))
	}
	return
}

func (l List[E]) Reduce[A any](f func(A, E) A, a A) A {
	for _, e := range l {
		a = f(a, e)
	}
	return a
}

func (l List[E]) Both[F, G any](f func(E) (F, G)) (fs List[F], gs List[G]) {
	for _, e := range l {
		x, y := f(e)
		fs, gs = append(fs, x), append(gs, y)
	}
	return
}

func id[P any](p P) P                { return p }
func pair[A, B any](a A, b B) string { return fmt.Sprint(a, b) }
func two[P any](p P) (P, []P)        { return p, []P{p} }

type conv func(string) int

func (l List[E]) Apply[Fn ~func(E) R, R any](f Fn) List[R] { return l.Map(f) }

func main() {
	l := List[string]{"a", "bb"}
	fmt.Printf("%T %T %T\n", l.Map(strings.ToUpper), l.Map(id), l.Map(strconv.Quote))
	fmt.Println(l.Reduce(pair, "-"), List[int]{1, 2}.Reduce(func(a float64, e int) float64 { return a + float64(e) }, 0))
	fmt.Println(l.Both(two))
	fmt.Printf("%T\n", l.Apply(conv(func(s string) int { return len(s) })))
	var f func(List[string], func(string) int) List[int] = List[string].Map
	fmt.Println(f(l, func(s string) int { return len(s) }))
	var g func(func(string) []byte) List[[]byte] = l.Map
	fmt.Println(g(func(s string) []byte { return []byte(s) }))
	h := func(m func(func(string) bool) List[bool]) List[bool] {
		return m(func(s string) bool { return s == "a" })
	}
	fmt.Println(h(l.Map))
	fmt.Println(List[List[int]]{{1}, {2, 3}}.Map(func(l List[int]) int { return l.Reduce(func(a, b int) int { return a + b }, 0) }))
}

// Output:
// main.List[string] main.List[string] main.List[string]
// -abb 3
// [a bb] [[a] [bb]]
// main.List[int]
// [1 2]
// [[97] [98 98]]
// [true false]
// [1 5]
