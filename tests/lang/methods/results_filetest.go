//go:build ignore && go1.27

// Named, blank and many results, and results that are generic types.
package main

import "fmt"

type Opt[V any] struct {
	v  V
	ok bool
}

func (o Opt[V]) Then[W any](f func(V) Opt[W]) (r Opt[W]) {
	if o.ok {
		r = f(o.v)
	}
	return
}

func (o Opt[V]) Split[W any](f func(V) W) (v V, w W, _ bool, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("%v", x)
		}
	}()
	v = o.v
	w = f(v)
	return v, w, o.ok, nil
}

func (o Opt[V]) Or[F func() V | *V](f F) V {
	if o.ok {
		return o.v
	}
	switch f := any(f).(type) {
	case func() V:
		return f()
	case *V:
		return *f
	}
	return o.v
}

type big [40]int

func (b big) Wide[P any](p P) (x, y big, q P, c chan<- P, f func(P) big) {
	x, y, q = b, b, p
	x[0], y[39] = 1, 2
	return x, y, p, make(chan P), func(P) big { return y }
}

func main() {
	o := Opt[int]{4, true}
	s := o.Then(func(i int) Opt[string] { return Opt[string]{fmt.Sprint(i), true} })
	fmt.Printf("%T %v %v\n", s, s, s.Then(func(string) (n Opt[[]int]) { return }))
	fmt.Println(o.Split(func(i int) string { return fmt.Sprint(-i) }))
	fmt.Println(o.Split(func(i int) []int { return []int{}[i:] }))
	n := 9
	fmt.Println(o.Or(&n), Opt[int]{}.Or(&n), Opt[int]{}.Or(func() int { return 8 }))
	x, y, q, c, f := big{5: 5}.Wide("q")
	fmt.Println(x[0], x[5], y[39], q, cap(c), f("")[39])
}

// Output:
// main.Opt[string] {4 true} {[] false}
// 4 -4 true <nil>
// 4 [] false runtime error: slice bounds out of range [4:0]
// 4 9 8
// 1 5 2 q 0 2
