//go:build ignore

package main

const (
	a = 1 < 2
	b = "x" == "y" || !a
	c = a != b
)

func main() { println(a, b, c) }

// Stderr:
// true false true
