//go:build ignore

package main

func main() {
	c := make(chan int)
	go func() {
		defer close(c)
		for i := range 5 {
			c <- i * i
		}
	}()
	sum := 0
	for v := range c {
		sum += v
	}
	println(sum)
}

// Gas: 1065

// Stderr:
// 30
