//go:build ignore

package main

func main() {
	a, b := make(chan int, 1000), make(chan int, 1000)
	for range 1000 {
		a <- 1
		b <- 1
	}
	na, nb := 0, 0
	for range 1000 {
		select {
		case <-a:
			na++
		case <-b:
			nb++
		}
	}
	println(na+nb, na > 300, nb > 300)
}

// Stderr:
// 1000 true true
