//go:build ignore

package main

func main() {
	for _, p := range [][2]int{{5, 3}, {-5, 3}, {5, -3}, {-5, -3}} {
		println(p[0]/p[1], p[0]%p[1])
	}
	x := -1 << 63
	y := -1
	println(x/y == x, x%y)
}

// Gas: 818

// Stderr:
// 1 2
// -1 -2
// -1 2
// 1 -2
// true 0
