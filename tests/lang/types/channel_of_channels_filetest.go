//go:build ignore

package main

func main() {
	c := make(chan chan int, 1)
	d := make(chan int, 1)
	c <- d
	(<-c) <- 4
	println(<-d, cap(c))
	var r chan (<-chan int) = make(chan (<-chan int), 1)
	r <- d
	println(len(r))
}

// Stderr:
// 4 1
// 1
