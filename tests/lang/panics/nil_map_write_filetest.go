//go:build ignore

package main

func main() {
	var m map[string]int
	m["a"]++
}

// Error:
// panic: assignment to entry in nil map
