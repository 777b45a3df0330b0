//go:build ignore

package main

func main() {
	println(0x1p-2 == 0.25, 0x2.p10 == 2048, 0x1.Fp+0 == 1.9375)
	println(0x.8p-0 == 0.5, 0x_1FFFp-16 == 0.1249847412109375, 0x15e-2 == 0x15e-2)
	println(0x15e - 2)
}

// Stderr:
// true true true
// true true true
// 348
