//go:build ignore

package main

func main() {
	a := complex(2, -2)
	const b = complex(1.0, -1.4)
	x := float32(1.5)
	var c64 = complex(5, -x)
	im := imag(b)
	println(real(a) == 2, imag(a) == -2, real(c64) == 5, imag(c64) == -1.5, im == -1.4)
	const c = imag(b)
	println(c == -1.4)
}

// Stderr:
// true true true true true
// true
