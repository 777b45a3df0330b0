//go:build ignore && go1.27

// Promotion through embedded structs and pointers, several levels deep.
package main

import "fmt"

type Base struct{ n int }

func (b Base) Val[P any](p P) string  { return fmt.Sprint("val ", b.n, " ", p) }
func (b *Base) Ptr[P any](p P) string { b.n++; return fmt.Sprint("ptr ", b.n, " ", p) }

type Mid struct {
	pad [2]string
	Base
}

type Top struct {
	pad int8
	*Mid
}

type Peak struct {
	x bool
	Top
}

func main() {
	p := Peak{Top: Top{Mid: &Mid{Base: Base{1}}}}
	fmt.Println(p.Val(1), p.Ptr("x"), p.Top.Mid.Base.n)
	q := p
	fmt.Println(q.Ptr[int](2), p.Top.Ptr(true), p.Mid.Val('x'))
	fmt.Println(p.n)
	f, g := p.Ptr[string], p.Val[string]
	p.n = 50
	fmt.Println(f("bound"), g("bound"))
	fmt.Println(Peak.Val[int](p, 1), Peak.Ptr[int](p, 2), (*Peak).Val[int](&p, 3), Top.Ptr[int](p.Top, 4), Mid.Val[int](*p.Mid, 5), (*Mid).Ptr[int](p.Mid, 6))
	m := map[string]Top{"k": p.Top}
	fmt.Println(m["k"].Ptr(7))
	fmt.Println(struct{ Peak }{p}.Ptr(8), struct{ *Peak }{&p}.Val(9))
}

// Output:
// val 1 1 ptr 2 x 2
// ptr 3 2 ptr 4 true val 4 120
// 4
// ptr 51 bound val 4 bound
// val 51 1 ptr 52 2 val 52 3 ptr 53 4 val 53 5 ptr 54 6
// ptr 55 7
// ptr 56 8 val 56 9
