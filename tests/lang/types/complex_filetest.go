//go:build ignore

package main

func main() {
	var c64 complex64 = complex(1, 2)
	var c complex128 = 3 + 4i
	c *= c
	println(real(c), imag(c), real(c64)+imag(c64))
	c /= 2i
	println(real(c), imag(c), c == complex(12, 3.5))
}

// Stderr:
// -7 24 3
// 12 3.5 true
