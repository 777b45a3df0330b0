//go:build ignore

package main

const c = (1 + 2i) * (3 - 1i)

func main() {
	println(real(c), imag(c))
	var f float32 = real(c)
	println(f == 5, c == 5+5i)
}

// Stderr:
// 5 5
// true true
