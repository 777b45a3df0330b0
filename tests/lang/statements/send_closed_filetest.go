//go:build ignore

package main

func main() {
	c := make(chan int, 1)
	close(c)
	defer func() { println(recover().(error).Error()) }()
	c <- 1
}

// Stderr:
// send on closed channel
