//go:build ignore

package main

type E struct{}

func main() {
	a, b := new(int), new(int)
	println(a == b, *a == *b)
	var p *E
	println(p == nil, *new(E) == E{})
}

// Stderr:
// false true
// true true
