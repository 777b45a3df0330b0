//go:build ignore

package main

func main() {
	c := make(chan int, 3)
	c <- 1
	c <- 2
	c <- 3
	v := <-c
	w, ok := <-c
	println(v, w, ok, -<-c+10)
	close(c)
	x, ok := <-c
	println(x, ok)
}

// Stderr:
// 1 2 true 7
// 0 false
