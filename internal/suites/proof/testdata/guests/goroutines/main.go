// Command goroutines lets the scheduler decide: goroutines that are preempted in
// loops, that yield, wait for each other and for locks. The order is printed.
package main

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

func spin(n int) (s int) {
	for i := range n {
		s += i ^ s<<1
	}
	return s
}

func main() {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		order []int
		ticks atomic.Int64
	)
	for id := range 12 {
		wg.Go(func() {
			for step := range 6 {
				spin(id * 3000)
				ticks.Add(1)
				mu.Lock()
				order = append(order, id*10+step)
				mu.Unlock()
				if step%3 == id%3 {
					runtime.Gosched()
				}
			}
		})
	}
	// Waits in a loop that only preemption ends.
	for ticks.Load() < 30 {
	}
	fmt.Println("at", ticks.Load() >= 30)
	wg.Wait()
	fmt.Println(order)

	// A worker pool and errors that come back in the order of the work.
	jobs, results := make(chan int), make(chan string, 4)
	for w := range 3 {
		go func() {
			for j := range jobs {
				results <- fmt.Sprintf("%d:%d", w, spin(j*100))
			}
		}()
	}
	go func() {
		for j := range 20 {
			jobs <- j
		}
		close(jobs)
	}()
	for range 20 {
		fmt.Print(<-results, " ")
	}
	fmt.Println()

	next, stop := iter.Pull(func(yield func(int) bool) {
		for i := 0; yield(i * i); i++ {
		}
	})
	for range 5 {
		v, _ := next()
		fmt.Print(v, " ")
	}
	stop()

	ctx, cancel := context.WithCancelCause(context.Background())
	var once sync.Once
	for range 4 {
		wg.Go(func() {
			<-ctx.Done()
			once.Do(func() { fmt.Println(context.Cause(ctx)) })
		})
	}
	cancel(fmt.Errorf("enough"))
	wg.Wait()

	rw, cond := sync.RWMutex{}, sync.NewCond(&mu)
	turn := 0
	for id := range 5 {
		wg.Go(func() {
			for range 3 {
				mu.Lock()
				for turn%5 != id {
					cond.Wait()
				}
				turn++
				cond.Broadcast()
				mu.Unlock()
				rw.RLock()
				runtime.Gosched()
				rw.RUnlock()
				rw.Lock()
				fmt.Print(id, " ")
				rw.Unlock()
			}
		})
	}
	wg.Wait()
	fmt.Println(turn, runtime.NumGoroutine() > 0)
}
