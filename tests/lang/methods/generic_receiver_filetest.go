//go:build ignore && go1.27

// The receiver's type parameters and the method's own meet in one signature.
package main

import "fmt"

type Pair[A, B any] struct {
	a A
	b B
}

func (p Pair[A, B]) With[C any](c C) (Pair[A, C], Pair[C, B]) {
	return Pair[A, C]{p.a, c}, Pair[C, B]{c, p.b}
}

func (p Pair[X, Y]) Swap[Z any](f func(X, Y) Z) (Y, X, Z) { return p.b, p.a, f(p.a, p.b) }

func (p *Pair[A, _]) Set[C ~func() A](f C) { p.a = f() }

type List[E any] []E

func (l List[E]) Map[F any](f func(E) F) List[F] {
	r := make(List[F], len(l))
	for i, x := range l {
		r[i] = f(x)
	}
	return r
}

func (l List[E]) Fold[A any](a A, f func(A, E) A) A {
	for _, x := range l {
		a = f(a, x)
	}
	return a
}

func main() {
	p := Pair[int, string]{1, "x"}
	q, r := p.With(2.5)
	fmt.Printf("%T %v %T %v\n", q, q, r, r)
	fmt.Println(p.Swap(func(i int, s string) bool { return i == len(s) }))
	p.Set(func() int { return 9 })
	fmt.Println(p)
	l := List[int]{1, 2, 3}
	fmt.Println(l.Map(func(i int) string { return fmt.Sprint(i, "!") }).Map(func(s string) int { return len(s) }).Fold("", func(s string, i int) string { return s + fmt.Sprint(i) }))
	fmt.Printf("%T\n", l.Map[[]byte])
}

// Output:
// main.Pair[int,float64] {1 2.5} main.Pair[float64,string] {2.5 x}
// x 1 true
// {9 x}
// 222
// func(func(int) []uint8) main.List[[]uint8]
