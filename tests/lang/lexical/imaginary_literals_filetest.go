//go:build ignore

package main

func main() {
	println(0i == 0, 123i == 123i, 0o123i == 83i, 0xabci == 2748i)
	println(imag(6.67428e-11i) == 6.67428e-11, 0x1p-2i == 0.25i)
	c := 1 + 2i
	println(real(c), imag(c))
}

// Stderr:
// true true true true
// true true
// 1 2
