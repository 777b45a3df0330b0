//go:build ignore

package main

const (
	greeting = "hello" + ", " + "world"
	n        = len(greeting)
)

func main() { println(greeting, n, greeting[n-1:]) }

// Stderr:
// hello, world 12 d
