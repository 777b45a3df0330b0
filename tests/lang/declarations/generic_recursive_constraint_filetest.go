//go:build ignore

package main

type Ordered[T any] interface{ Less(T) bool }

type Age int

func (a Age) Less(b Age) bool { return a < b }

func Min[T Ordered[T]](first T, rest ...T) T {
	for _, r := range rest {
		if r.Less(first) {
			first = r
		}
	}
	return first
}

type Node[T interface{ Ordered[T] }] struct{ v T }

func main() { println(Min(Age(3), 1, 2), Node[Age]{5}.v) }

// Stderr:
// 1 5
