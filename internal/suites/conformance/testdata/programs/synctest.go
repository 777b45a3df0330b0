// Bubbles of testing/synctest: a clock that stands still while anybody runs.
package main

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func main() {
	testing.Main(func(a, b string) (bool, error) { return true, nil }, []testing.InternalTest{{"A", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			var wg sync.WaitGroup
			for i := range 3 {
				wg.Go(func() { time.Sleep(time.Duration(i+1) * time.Hour) })
			}
			go func() { wg.Wait(); fmt.Println("waited", time.Since(start)) }()
			synctest.Wait()
			fmt.Println("idle", time.Since(start))
			wg.Wait()
			c := time.After(time.Minute)
			fmt.Println((<-c).Sub(start), time.Now().UTC())
		})
	}}}, nil, nil)
}
