//go:build ignore

package main

import "math"

func main() {
	n := math.NaN()
	println(n == n, n != n, n < n, n >= n, !(n < 1), [1]float64{n} == [1]float64{n})
	var i any = n
	println(i == i)
}

// Stderr:
// false true false false true false
// false
