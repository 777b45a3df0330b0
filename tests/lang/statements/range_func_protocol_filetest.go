//go:build ignore

package main

func try(name string, f func()) {
	defer func() { println(name, recover().(error).Error()) }()
	f()
}

var kept func(int) bool

func goesOn(yield func(int) bool) {
	yield(1)
	yield(2)
}

func keeps(yield func(int) bool) {
	kept = yield
	yield(1)
}

func swallows(yield func(int) bool) {
	defer func() { recover() }()
	yield(1)
}

func goesOnAfterPanic(yield func(int) bool) {
	func() {
		defer func() { recover() }()
		yield(1)
	}()
	yield(2)
}

func main() {
	try("break:", func() {
		for range goesOn {
			break
		}
	})
	try("exhausted:", func() {
		for range keeps {
		}
		kept(5)
	})
	try("swallowed:", func() {
		for range swallows {
			panic("body")
		}
	})
	try("panicked:", func() {
		for range goesOnAfterPanic {
			panic("body")
		}
	})
	try("nested call:", func() {
		for range keeps {
			kept(3)
		}
	})
}

// Stderr:
// break: runtime error: range function continued iteration after function for loop body returned false
// exhausted: runtime error: range function continued iteration after whole loop exit
// swallowed: runtime error: range function recovered a loop body panic and did not resume panicking
// panicked: runtime error: range function continued iteration after loop body panic
// nested call: runtime error: range function continued iteration after loop body panic
