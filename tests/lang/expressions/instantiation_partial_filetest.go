//go:build ignore

package main

func convert[To, From ~int | ~int8 | ~uint8](f From) To { return To(f) }

func main() {
	println(convert[int8](300), convert[uint8](-1), convert[int](uint8(200)))
	g := convert[int, int8]
	println(g(-3))
}

// Stderr:
// 44 255 200
// -3
