//go:build ignore

package main

func main() {
	println(0. == 0, 72.40 == 072.40, 2.71828 > 2)
	println(1.e+0 == 1, 6.67428e-11 < 1e-10, 1e6 == 1000000)
	println(.25 == 0.25, .12345e+5 == 12345, 1_5. == 15.0, 0.15e+0_2 == 15)
}

// Stderr:
// true true true
// true true true
// true true true true
