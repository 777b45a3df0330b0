//go:build ignore

package main

func main() {
	c := make(chan int, 3)
	c <- 1
	c <- 2
	c <- 3
loop:
	for {
		select {
		case v := <-c:
			if v == 1 {
				break
			}
			if v == 3 {
				break loop
			}
			println(v)
		}
	}
	println("out")
}

// Stderr:
// 2
// out
