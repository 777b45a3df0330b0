//go:build ignore

package main

func main() {
	c := make(chan string, 2)
	c <- "a"
	c <- "b"
	println(len(c), cap(c))
	select {
	case c <- "c":
		println("sent")
	default:
		println("full")
	}
	println(<-c, <-c, len(c))
}

// Stderr:
// 2 2
// full
// a b 0
