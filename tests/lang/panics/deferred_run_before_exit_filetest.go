//go:build ignore

package main

func main() {
	defer println("main's")
	func() {
		defer println("inner's")
		panic("p")
	}()
}

// Stderr:
// inner's
// main's

// Error:
// panic: p
