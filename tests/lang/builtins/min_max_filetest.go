//go:build ignore

package main

func main() {
	x, y := 10, 3
	m := min(x)
	n := min(x, y)
	c := max(1, 2.0, 10)
	println(m, n, max(x, y, 10), c == 10, max("", "foo", "bar"), min("b", "ab"))
	f := 0.0
	nan := f / f
	println(min(nan, 1) != min(nan, 1), max(1, nan) != max(1, nan))
	const k = min(1, 2) + max(3, 4)
	var a [k]int
	println(len(a))
	negz := -1.0 / (1 / f)
	println(1/min(negz, 0.0) < 0, 1/max(negz, 0.0) > 0)
}

// Stderr:
// 10 3 10 true foo ab
// true true
// 5
// true true
