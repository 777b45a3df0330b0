//go:build ignore

package main

func main() {
	var c chan int
	close(c)
}

// Error:
// panic: close of nil channel
