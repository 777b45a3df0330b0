//go:build ignore

package main

import "time"

func main() {
	c := make(chan int)
	select {
	case <-c:
		println("c")
	case <-time.After(10 * time.Millisecond):
		println("timeout")
	}
}

// Stderr:
// timeout
