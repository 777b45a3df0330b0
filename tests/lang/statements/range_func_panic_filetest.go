//go:build ignore

package main

func seq(yield func(int) bool) {
	defer func() { println("cleanup", recover() != nil) }()
	yield(1)
	println("not here")
}

func main() {
	defer func() { println("main", recover() != nil) }()
	for range seq {
		panic("body")
	}
}

// Stderr:
// cleanup true
// main true
