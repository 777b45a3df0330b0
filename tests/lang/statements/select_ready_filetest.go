//go:build ignore

package main

func main() {
	a, b := make(chan int, 1), make(chan string, 1)
	for i := range 4 {
		if i%2 == 0 {
			a <- i
		} else {
			b <- "b"
		}
		select {
		case n := <-a:
			println("a", n)
		case s, ok := <-b:
			println("b", s, ok)
		}
	}
	var none chan int
	select {
	case <-none:
	case none <- 1:
	default:
		println("default")
	}
}

// Gas: 2177

// Stderr:
// a 0
// b b true
// a 2
// b b true
// default
