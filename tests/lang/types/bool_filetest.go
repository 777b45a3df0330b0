//go:build ignore

package main

type Flag bool

func main() {
	var f Flag = true
	g := Flag(1 < 2)
	println(bool(f && !g), f == g, f || g)
}

// Stderr:
// false true true
