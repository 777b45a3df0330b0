//go:build ignore

package main

import "math"

func main() {
	z := 0.0
	println(1/z > math.MaxFloat64, -1/z < -math.MaxFloat64, z/z != z/z)
	println(math.IsInf(1/z, 1), math.IsNaN(z/z), math.Signbit(-1*z))
}

// Stderr:
// true true true
// true true true
