//go:build ignore

package main

import "runtime"

func main() {
	done := make(chan bool)
	go func() {
		defer close(done)
		defer func() { println("deferred runs", recover() == nil) }()
		func() {
			defer println("inner")
			runtime.Goexit()
		}()
		println("never")
	}()
	<-done
	println("main")
}

// Stderr:
// inner
// deferred runs true
// main
