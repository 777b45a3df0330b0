//go:build ignore

package main

func main() {
	c := make(chan int, 2)
	c <- 1
	close(c)
	v, ok := <-c
	println(v, ok)
	v, ok = <-c
	println(v, ok, len(c), cap(c))
	defer func() { println(recover().(error).Error()) }()
	close(c)
}

// Stderr:
// 1 true
// 0 false 0 2
// close of closed channel
