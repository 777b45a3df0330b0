//go:build ignore

package main

func main() {
	s := -1
	println(1 << s)
}

// Stderr:

// Error:
// panic: runtime error: negative shift amount
