// Goroutines that take less than a quantum each are not made to give way for what those before them used: else some
// would hold a lock meanwhile, and the others would pile up behind it.
package main

import (
	"fmt"
	"runtime"
	"sync"
)

type counter struct {
	mu sync.Mutex
	n  [64]int
}

func (c *counter) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.n {
		c.n[i]++
	}
}

func main() {
	var a, b counter
	var wg sync.WaitGroup
	var once sync.Once
	first, most := 0, 0 // goroutines that were there when the first had done its work, and at any time
	for range 100000 {
		wg.Go(func() {
			a.add()
			once.Do(func() { first = runtime.NumGoroutine() })
			b.add()
		})
		most = max(most, runtime.NumGoroutine())
	}
	wg.Wait()
	fmt.Println(a.n[0], b.n[63])
	// Only gyr's schedule is the same every time.
	if runtime.GOOS == "wasip1" && most > first+first/4 {
		fmt.Println(most, "goroutines at a time, and", first, "in the first quantum")
	}
}
