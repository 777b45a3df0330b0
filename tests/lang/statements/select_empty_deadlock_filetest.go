//go:build ignore

package main

func main() {
	println("before")
	select {}
}

// Stderr:
// before

// Error:
// fatal error: all goroutines are asleep - deadlock!
