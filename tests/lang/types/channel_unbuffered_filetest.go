//go:build ignore

package main

func main() {
	c := make(chan int)
	go func() {
		for i := range 3 {
			c <- i
		}
		close(c)
	}()
	for v := range c {
		println(v)
	}
	v, ok := <-c
	println(v, ok)
}

// Gas: 1204

// Stderr:
// 0
// 1
// 2
// 0 false
