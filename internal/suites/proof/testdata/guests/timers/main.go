// Command timers sleeps, ticks and times out on the virtual clock, and prints it.
package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

func main() {
	start := time.Now()
	fmt.Println(start)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			time.Sleep(time.Duration(i*7%8) * time.Millisecond)
			fmt.Println(i, time.Since(start))
		})
	}
	wg.Wait()
	tick := time.NewTicker(time.Second)
	for range 3 {
		fmt.Println((<-tick.C).Sub(start))
	}
	tick.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	t := time.AfterFunc(time.Minute, func() { fmt.Println("after", time.Since(start)) })
	time.AfterFunc(30*time.Minute, func() { fmt.Println("reset", t.Reset(time.Second)) })
	<-ctx.Done()
	fmt.Println(ctx.Err(), time.Since(start))
	s := 0
	for i := range 100_000 {
		s += i
	}
	fmt.Println(s, time.Since(start), time.Now().UnixNano())
}
