//go:build ignore

package main

import "sync"

func main() {
	var wg sync.WaitGroup
	wg.Add(2)
	go wg.Done()
	wg.Wait()
}

// Error:
// fatal error: all goroutines are asleep - deadlock!
