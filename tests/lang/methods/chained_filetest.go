//go:build ignore && go1.27

// Chains of generic methods, each with the types of the one before.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

type Stream[E any] struct{ e []E }

func From[E any](e ...E) Stream[E] { return Stream[E]{e} }

func (s Stream[E]) Map[F any](f func(E) F) Stream[F] {
	r := make([]F, 0, len(s.e))
	for _, e := range s.e {
		r = append(r, f(e))
	}
	return Stream[F]{r}
}

func (s Stream[E]) SortBy[K cmp.Ordered](key func(E) K) Stream[E] {
	c := slices.Clone(s.e)
	slices.SortStableFunc(c, func(a, b E) int { return cmp.Compare(key(a), key(b)) })
	return Stream[E]{c}
}

func (s Stream[E]) Zip[F, G any](t Stream[F], f func(E, F) G) (r Stream[G]) {
	for i := range min(len(s.e), len(t.e)) {
		r.e = append(r.e, f(s.e[i], t.e[i]))
	}
	return
}

func (s Stream[E]) TryMap[F any](f func(E) (F, error)) (r Stream[F], err error) {
	for _, e := range s.e {
		x, e := f(e)
		err = errors.Join(err, e)
		r.e = append(r.e, x)
	}
	return
}

func (s Stream[E]) GroupBy[K comparable](f func(E) K) map[K]Stream[E] {
	m := map[K]Stream[E]{}
	for _, e := range s.e {
		m[f(e)] = Stream[E]{append(m[f(e)].e, e)}
	}
	return m
}

func (s Stream[E]) Collect[C any](into C, f func(C, E) C) C {
	for _, e := range s.e {
		into = f(into, e)
	}
	return into
}

func main() {
	s := From(3, 1, 2)
	fmt.Println(s.SortBy(func(i int) int { return -i }).Map(strconv.Itoa).Zip(s, func(a string, b int) string { return a + "/" + fmt.Sprint(b) }))
	r, err := From("1", "x", "3").TryMap(strconv.Atoi)
	fmt.Println(r, err)
	fmt.Println(r.GroupBy(func(i int) bool { return i > 0 }), s.Collect("", func(c string, i int) string { return c + fmt.Sprint(i) }))
	fmt.Println(From(From(1, 2), From(3)).Map(func(s Stream[int]) int { return len(s.e) }).Collect(map[int]int{}, func(m map[int]int, n int) map[int]int { m[n]++; return m }))
}

// Output:
// {[3/3 2/1 1/2]}
// {[1 0 3]} strconv.Atoi: parsing "x": invalid syntax
// map[false:{[0]} true:{[1 3]}] 312
// map[1:1 2:1]
