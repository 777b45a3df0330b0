//go:build ignore

package main

import "runtime"

func main() {
	defer println("deferred")
	runtime.Goexit()
}

// Stderr:
// deferred

// Error:
// fatal error: no goroutines (main called runtime.Goexit) - deadlock!
