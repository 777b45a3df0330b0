//go:build ignore

package main

func main() {
	x, y, z := 1.0+0x1p-30, 1.0+0x1p-30, -1.0-0x1p-29
	println(x*y+z == 0, float64(x*y)+z == 0)
}

// Stderr:
// true true
