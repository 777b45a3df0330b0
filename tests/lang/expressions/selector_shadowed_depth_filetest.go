//go:build ignore

package main

type A struct{ n string }
type B struct{ A }
type C struct {
	B
	n string
}

func main() {
	c := C{B{A{"deep"}}, "shallow"}
	println(c.n, c.B.n, c.A.n)
}

// Stderr:
// shallow deep deep
