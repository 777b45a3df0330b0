//go:build ignore

package main

func produce(c chan<- int) {
	c <- 1
	close(c)
}

func consume(c <-chan int) int { return <-c }

func main() {
	c := make(chan int, 1)
	produce(c)
	println(consume(c), consume(c))
}

// Stderr:
// 1 0
