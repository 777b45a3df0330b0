//go:build ignore

package main

var i int
var U, V, W float64
var k = 0
var x, y float32 = -1, -2
var (
	n          int
	u, v, s    = 2.0, 3.0, "bar"
	re, im     = pair()
	_, matched = pair()
)

func pair() (int, bool) { return 7, true }

func main() {
	println(i, U == 0, k, x == -1, y == -2, n, u == 2, v == 3, s, re, im, matched)
}

// Stderr:
// 0 true 0 true true 0 true true bar 7 true true
