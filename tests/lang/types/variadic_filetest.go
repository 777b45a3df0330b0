//go:build ignore

package main

func sum(base int, ns ...int) int {
	for _, n := range ns {
		base += n
	}
	return base
}

func first(ns ...int) { ns[0] = 100 }

func none(ns ...int) bool { return ns == nil }

func main() {
	s := []int{1, 2, 3}
	first(s...)
	println(sum(1), sum(1, 2), sum(0, s...), none(), none([]int{}...))
}

// Gas: 339

// Stderr:
// 1 3 105 true false
