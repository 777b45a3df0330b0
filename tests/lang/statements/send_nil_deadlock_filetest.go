//go:build ignore

package main

func main() {
	var c chan int
	c <- 1
}

// Error:
// fatal error: all goroutines are asleep - deadlock!
