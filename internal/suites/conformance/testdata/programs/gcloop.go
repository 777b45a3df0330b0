package main

import (
	"fmt"
	"runtime"
	"sync"
)

// A goroutine that collects all the time gives way, also where its quantum always
// ends while sync.Pools are emptied.
func main() {
	pool := sync.Pool{New: func() any { return new([10]int) }}
	go func() {
		for {
			runtime.GC()
		}
	}()
	c := make(chan int)
	for i := range 5 {
		go func() {
			p := pool.Get().(*[10]int)
			p[0] = i
			pool.Put(p)
			c <- p[0]
		}()
	}
	sum := 0
	for range 5 {
		sum += <-c
	}
	fmt.Println(sum)
}
