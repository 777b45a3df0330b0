//go:build ignore

package main

type A struct {
	X int `a`
	Y []string
}
type B struct {
	X int
	Y []string `b`
}

func main() {
	a := A{1, []string{"q"}}
	b := B(a)
	p := (*B)(&a)
	p.X = 7
	println(b.X, a.X, b.Y[0])
}

// Stderr:
// 1 7 q
