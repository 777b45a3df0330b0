//go:build ignore

package main

func Len[T ~string | ~[]byte](t T) int { return len(t) }

func Fill[S ~[]E, E any](n int, e E) S {
	s := make(S, 0, n)
	for range n {
		s = append(s, e)
	}
	return s
}

func Clear[M ~map[K]V | ~[]V, K comparable, V any](m M) { clear(m) }

func Cap[T ~[]int | ~chan int](t T) int { return cap(t) }

func main() {
	println(Len("abc"), Len([]byte{1}), len(Fill[[]string](3, "x")), Cap(make(chan int, 4)), Cap([]int{}))
	m := map[string]int{"a": 1}
	Clear[map[string]int, string, int](m)
	println(len(m))
}

// Stderr:
// 3 1 3 4 0
// 0
