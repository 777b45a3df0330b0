//go:build ignore

package main

var c = make(chan int)

func init() {
	go func() { c <- 42 }()
	println(<-c)
}

func main() { println("main") }

// Stderr:
// 42
// main
