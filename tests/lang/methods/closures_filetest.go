//go:build ignore && go1.27

// Closures in generic methods see receiver, parameters and type parameters of both kinds.
package main

import "fmt"

type Counter[K comparable] struct{ m map[K]int }

func (c *Counter[K]) Counting[V any](f func(V) K) func(...V) map[K]int {
	calls := 0
	return func(vs ...V) map[K]int {
		calls++
		for _, v := range vs {
			func() {
				k := f(v)
				defer func() { c.m[k] += calls }()
				var zero V
				_ = zero
			}()
		}
		return c.m
	}
}

type T int

func (t T) Compose[A, B, C any](f func(A) B, g func(B) C) func(A) (T, C) {
	return func(a A) (T, C) { t++; return t, g(f(a)) }
}

func (t *T) Curry[A, B any]() func(A) func(B) string {
	return func(a A) func(B) string {
		return func(b B) string { *t += 1; return fmt.Sprintf("%d %T %T", *t, a, b) }
	}
}

func main() {
	c := Counter[int]{map[int]int{}}
	f := c.Counting(func(s string) int { return len(s) })
	f("a", "bb")
	fmt.Println(f("cc", ""), c.m)
	t := T(0)
	h := t.Compose(func(i int) string { return fmt.Sprint(i) }, func(s string) []byte { return []byte(s) })
	h(1)
	fmt.Println(h(23))
	k := t.Curry[int, T]()
	fmt.Println(k(1)(2), k(1)(3), t)
}

// Output:
// map[0:2 1:1 2:3] map[0:2 1:1 2:3]
// 2 [50 51]
// 1 int main.T 2 int main.T 2
