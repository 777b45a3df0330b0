// Command channels passes values between goroutines: a prime sieve of filters, a
// pipeline with buffers, a mutex and a select loop. The size is the number of primes.
//
// Usage: channels [size]
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

func generate(ch chan<- int) {
	for i := 2; ; i++ {
		ch <- i
	}
}

func filter(in <-chan int, out chan<- int, prime int) {
	for {
		if i := <-in; i%prime != 0 {
			out <- i
		}
	}
}

func main() {
	n := size(500)
	ch := make(chan int)
	go generate(ch)
	sum := 0
	for range n {
		p := <-ch
		sum += p
		next := make(chan int)
		go filter(ch, next, p)
		ch = next
	}
	buffered := make(chan int, 64)
	done := make(chan struct{})
	var mu sync.Mutex
	var wg sync.WaitGroup
	total := 0
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for v := range buffered {
				mu.Lock()
				total += v
				mu.Unlock()
			}
		}()
	}
	go func() {
		wg.Wait()
		close(done)
	}()
	for i := range 100 * n {
		buffered <- i
	}
	close(buffered)
	a, b := make(chan int), make(chan int)
	go func() {
		for i := range 10 * n {
			if i%2 == 0 {
				a <- i
			} else {
				b <- i
			}
		}
		close(a)
	}()
	for open := true; open; {
		select {
		case v, ok := <-a:
			open = ok
			sum += v
		case v := <-b:
			sum -= v
		}
	}
	<-done
	fmt.Println(sum, total)
}

// size returns the first argument, or def.
func size(def int) int {
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			return n
		}
	}
	return def
}
