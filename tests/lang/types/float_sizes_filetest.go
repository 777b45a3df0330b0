//go:build ignore

package main

func main() {
	var f32 float32 = 16777216
	var f64 float64 = 16777216
	println(f32+1 == f32, f64+1 == f64)
	x := float32(0.1)
	println(float64(x) == 0.1, x == 0.1)
}

// Stderr:
// true false
// false true
