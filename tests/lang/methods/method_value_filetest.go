//go:build ignore && go1.27

// A method value binds a copy of its receiver when it is evaluated.
package main

import "fmt"

type T struct{ n int }

func (t T) Val[P any](p P) string  { return fmt.Sprint(t.n, p) }
func (t *T) Ptr[P any](p P) string { t.n++; return fmt.Sprint(t.n, p) }

type G[E any] struct{ e E }

func (g G[E]) M[P any](p P) string { return fmt.Sprintf("%v %T %T", g.e, g.e, p) }

func get(log string, t *T) *T { fmt.Print(log, " "); return t }

func main() {
	t := T{1}
	v, p := t.Val[string], t.Ptr[int]
	t.n = 10
	fmt.Println(v("v"), p(5), p(6), t.n)
	pt := &t
	v2 := pt.Val[bool]
	pt.n = 20
	fmt.Println(v2(true), pt.Val(true))
	f := get("once", pt).Ptr[string]
	fmt.Println(f("a"), f("b"))
	g := G[string]{"g"}.M[[]int]
	fmt.Println(g(nil))
	var any1 any = g
	fmt.Printf("%T %T\n", any1, t.Ptr[float64])
	for _, f := range []func(int) string{t.Val[int], pt.Ptr[int], (&T{50}).Ptr[int], T{7}.Val[int]} {
		fmt.Print(f(3), " ")
	}
	fmt.Println()
}

// Output:
// 1v 11 5 12 6 12
// 12 true 20 true
// once 21a 22b
// g string []int
// func([]int) string func(float64) string
// \"22 3 23 3 51 3 7 3 "
