//go:build ignore

package main

func main() {
	c := make(chan int)
	go func() {
		panic("in a goroutine")
	}()
	<-c
}

// Error:
// panic: in a goroutine
