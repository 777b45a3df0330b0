//go:build ignore

package main

const (
	c0 = iota
	c1
	c2
)

const (
	a = 1 << iota
	b = 1 << iota
	c = 3
	d = 1 << iota
)

const (
	u         = iota * 42
	v float64 = iota * 42
	w         = iota * 42
)

const x, y = iota, iota

func main() {
	println(c0, c1, c2, a, b, c, d)
	println(u, v == 42, w, x, y)
}

// Stderr:
// 0 1 2 1 2 3 8
// 0 true 84 0 0
