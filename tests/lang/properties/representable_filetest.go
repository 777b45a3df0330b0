//go:build ignore

package main

func main() {
	var b byte = 'a'
	var i8 int8 = -128
	var f float32 = 1e10
	var c complex64 = 'x'
	var u uint16 = 65535.0
	println(b, i8, f == 1e10, real(c) == 120, u)
	const big = 1 << 62
	var i = int64(big)
	println(i)
}

// Stderr:
// 97 -128 true true 65535
// 4611686018427387904
