//go:build ignore

package main

func main() {
	defer println("last")
	func() {
		defer recover()
		defer println("no effect")
	}()
	defer func() { println("recovered", recover() != nil) }()
	func() {
		defer recover() // as a deferred call itself it is called by no deferred function
		panic("p")
	}()
}

// Stderr:
// no effect
// recovered true
// last
