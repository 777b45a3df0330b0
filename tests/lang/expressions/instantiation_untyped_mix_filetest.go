//go:build ignore

package main

func max2[T int | float64](a, b T) T {
	if a > b {
		return a
	}
	return b
}

func main() {
	println(max2(1, 2.5) == 2.5, max2(1, 2))
	var f float64 = 3
	println(max2(1, f) == 3)
}

// Stderr:
// true 2
// true
