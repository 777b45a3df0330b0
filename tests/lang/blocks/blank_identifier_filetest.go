//go:build ignore

package main

import _ "strings"

type _ struct{}

var _ = side()

func side() int { println("side"); return 1 }

func _() { println("never") }
func _() {}

func f(_, _ int, s string) string { return s }

func main() {
	_, x := 1, 2
	_ = x
	println(f(1, 2, "named"))
}

// Stderr:
// side
// named
