//go:build ignore

package main

const (
	lt = "apple" < "banana"
	eq = 1.0 == 1
	cp = 1i*1i == -1
)

func main() { println(lt, eq, cp) }

// Stderr:
// true true true
