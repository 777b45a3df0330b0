//go:build ignore

package main

import "sync"

func main() {
	var mu sync.Mutex
	mu.Lock()
	mu.Lock()
}

// Error:
// fatal error: all goroutines are asleep - deadlock!
