//go:build ignore

package main

type Number interface{ ~int | ~float64 }

func Sum[T Number](xs ...T) (s T) {
	for _, x := range xs {
		s += x
	}
	return
}

type Meter int

func main() { println(Sum(1, 2, 3), Sum(1.5, 2) == 3.5, Sum[Meter](4, 5), Sum[int]()) }

// Gas: 299

// Stderr:
// 6 true 9 0
