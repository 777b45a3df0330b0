//go:build ignore

package main

func dedup[S ~[]E, E comparable](s S) S {
	var out S
	seen := map[E]bool{}
	for _, e := range s {
		if !seen[e] {
			seen[e] = true
			out = append(out, e)
		}
	}
	return out
}

type Slice []int

func apply[A, B any](a A, f func(A) B) B { return f(a) }

func double[T ~int | ~float64](x T) T { return 2 * x }

func main() {
	s := dedup(Slice{1, 1, 2, 1})
	var typed Slice = s
	println(len(typed), apply(3, func(i int) string { return "three"[:i] }))
	println(apply(4, double[int]), apply(4.5, double) == 9)
	var f func(float64) float64 = double
	println(f(1) == 2)
}

// Stderr:
// 2 thr
// 8 true
// true
