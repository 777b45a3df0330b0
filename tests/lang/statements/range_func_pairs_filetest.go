//go:build ignore

package main

import (
	"maps"
	"slices"
)

func zip(a, b []string) func(func(string, string) bool) {
	return func(yield func(string, string) bool) {
		for i := range min(len(a), len(b)) {
			if !yield(a[i], b[i]) {
				return
			}
		}
	}
}

func main() {
	for x, y := range zip([]string{"a", "b", "c"}, []string{"1", "2"}) {
		println(x, y)
	}
	for range zip([]string{"q"}, []string{"r"}) {
		println("once")
	}
	m := map[string]int{"z": 26, "y": 25, "x": 24}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		print(k, m[k], " ")
	}
	println()
}

// Stderr:
// a 1
// b 2
// once
// \"x24 y25 z26 "
