//go:build ignore

package main

func main() {
	println(func(a, b int) int { return a * b }(6, 7))
	func() {
		defer func() { println("deferred") }()
		println("body")
	}()
}

// Stderr:
// 42
// body
// deferred
