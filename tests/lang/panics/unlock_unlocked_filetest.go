//go:build ignore

package main

import "sync"

func main() {
	var mu sync.Mutex
	defer func() { println("not recovered", recover() == nil) }()
	mu.Unlock()
}

// Error:
// fatal error: sync: unlock of unlocked mutex
