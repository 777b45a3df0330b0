//go:build ignore

package main

type T struct {
	a int
	_ int
	b string
	_ float64
}

func main() {
	x := T{a: 1, b: "b"}
	y := T{a: 1, b: "b"}
	println(x == y)
}

// Stderr:
// true
