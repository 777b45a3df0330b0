//go:build ignore

package main

import "fmt"

// Iterators that do not keep to the protocol: what each call of the body panics with, and how the loop ends.

var keep func(int) bool

// call calls a body, and recovers what it panics with.
func call(name string, yield func(int) bool, x int) {
	defer func() { fmt.Println(" ", name, x, recover()) }()
	fmt.Println(" ", name, x, yield(x))
}

func try(name string, f func()) {
	fmt.Println(name)
	defer func() { fmt.Println("  ended:", recover()) }()
	f()
	fmt.Println("  after the loop")
}

func goesOn(yield func(int) bool) {
	yield(0)
	yield(1)
	yield(2)
}

func recovers(yield func(int) bool) {
	keep = yield
	for x := range 4 {
		call("in", yield, x)
	}
}

func keeps(yield func(int) bool) {
	keep = yield
	yield(0)
}

func keepsAndGoesOn(yield func(int) bool) {
	keep = yield
	if yield(0) {
		yield(1)
	}
	defer func() { fmt.Println("  deferred", recover()) }()
	yield(2)
}

// twice recovers what it finds, and asks again.
func twice(yield func(int) bool) {
	keep = yield
	call("first", yield, 0)
	call("second", yield, 0)
	call("third", yield, 0)
	panic("by the iterator")
}

func reentrant(yield func(int) bool) {
	keep = yield
	yield(0)
	yield(1)
}

func result(seq func(func(int) bool)) (n int) {
	defer func() { n += 100 }()
	for x := range seq {
		if x == 1 {
			return x
		}
	}
	return -1
}

func deferring(seq func(func(int) bool)) {
	for x := range seq {
		defer fmt.Println("  deferred by the body", x)
		if x == 1 {
			break
		}
	}
}

func main() {
	try("goes on after break", func() {
		for x := range goesOn {
			if x == 1 {
				break
			}
		}
	})
	try("goes on after return", func() { fmt.Println(result(goesOn)) })
	try("recovers after break", func() {
		for x := range recovers {
			if x == 1 {
				break
			}
		}
	})
	call("kept", keep, 7)
	try("recovers after return", func() { fmt.Println(result(recovers)) })
	call("kept", keep, 7)
	try("recovers after a panic of the body", func() {
		for x := range recovers {
			if x == 1 {
				panic("body")
			}
		}
	})
	call("kept", keep, 7)
	try("kept after a whole loop", func() {
		for range keeps {
		}
		call("kept", keep, 1)
	})
	call("kept", keep, 2)
	try("kept after break", func() {
		for range keeps {
			break
		}
		call("kept", keep, 1)
		call("kept", keep, 2)
	})
	try("kept after return", func() {
		fmt.Println(result(func(yield func(int) bool) { keep = yield; yield(1) }))
		call("kept", keep, 1)
	})
	try("recovered by a deferred call", func() {
		for range keepsAndGoesOn {
			break
		}
	})
	try("asks again", func() {
		for range twice {
			break
		}
	})
	call("kept", keep, 3)
	try("reentrant", func() {
		for x := range reentrant {
			if x == 0 {
				call("again", keep, 5)
			}
			fmt.Println("  body", x)
		}
	})
	try("deferred calls of the body", func() { deferring(goesOn) })
	try("deferred calls of the body, recovered", func() { deferring(recovers) })
	try("nested, break of the outer loop", func() {
	outer:
		for x := range goesOn {
			for y := range recovers {
				if y == 1 && x == 1 {
					break outer
				}
			}
			call("inner", keep, 8)
		}
	})
	try("nested, continue of the outer loop", func() {
	outer:
		for x := range goesOn {
			for y := range goesOn {
				if y == 1 {
					fmt.Println("  continue", x)
					continue outer
				}
			}
		}
	})
	try("nested, continue, kept", func() {
		var inner func(int) bool
	outer:
		for x := range reentrant {
			for y := range func(yield func(int) bool) { inner = yield; yield(0) } {
				if y == 0 && x == 0 {
					continue outer
				}
			}
			call("inner", inner, 1)
		}
		call("inner", inner, 2)
		call("outer", keep, 2)
	})
	try("nested, the body of the outer loop is called by the inner one", func() {
		for x := range keeps {
			outer := keep
			for y := range goesOn {
				call("outer", outer, y)
			}
			fmt.Println("  body", x)
		}
	})
	try("three loops", func() {
	a:
		for x := range goesOn {
			for y := range recovers {
				for z := range keepsAndGoesOn {
					if x == 0 && y == 0 {
						break
					}
					if y == 1 {
						break a
					}
					fmt.Println("  ", x, y, z)
				}
			}
		}
	})
	try("goto", func() {
		for x := range goesOn {
			if x == 1 {
				goto out
			}
		}
	out:
		fmt.Println("  out")
	})
	try("goto, recovered", func() {
		for x := range recovers {
			for y := range keeps {
				if x == 1 && y == 0 {
					goto out
				}
			}
		}
	out:
		fmt.Println("  out")
	})
	try("within a loop of another kind", func() {
	loop:
		for i := range 3 {
			for x := range recovers {
				if x == 1 {
					continue loop
				}
				if i == 2 {
					break loop
				}
			}
		}
		call("kept", keep, 9)
	})
	try("a goroutine ends in the body", func() {
		done := make(chan bool)
		go func() {
			defer close(done)
			for range keeps {
				func() {
					defer func() { fmt.Println("  deferred", recover()) }()
					panic("in the body")
				}()
			}
		}()
		<-done
		call("kept", keep, 1)
	})
	try("pairs", func() {
		var kept func(string, int) bool
		for k, v := range func(yield func(string, int) bool) {
			kept = yield
			yield("a", 1)
			defer func() {
				fmt.Println("  recovered", recover())
				panic("again")
			}()
			yield("b", 2)
		} {
			fmt.Println("  ", k, v)
			break
		}
		_ = kept
	})
	try("nothing to range over", func() {
		for range func(yield func() bool) { yield(); yield() } {
			break
		}
	})
}

// Output:
// goes on after break
//   ended: runtime error: range function continued iteration after function for loop body returned false
// goes on after return
//   ended: runtime error: range function continued iteration after function for loop body returned false
// recovers after break
//   in 0 true
//   in 0 <nil>
//   in 1 false
//   in 1 <nil>
//   in 2 runtime error: range function continued iteration after function for loop body returned false
//   in 3 runtime error: range function continued iteration after loop body panic
//   ended: runtime error: range function recovered a loop body panic and did not resume panicking
//   kept 7 runtime error: range function continued iteration after loop body panic
// recovers after return
//   in 0 true
//   in 0 <nil>
//   in 1 false
//   in 1 <nil>
//   in 2 runtime error: range function continued iteration after function for loop body returned false
//   in 3 runtime error: range function continued iteration after loop body panic
//   ended: runtime error: range function recovered a loop body panic and did not resume panicking
//   kept 7 runtime error: range function continued iteration after loop body panic
// recovers after a panic of the body
//   in 0 true
//   in 0 <nil>
//   in 1 body
//   in 2 runtime error: range function continued iteration after loop body panic
//   in 3 runtime error: range function continued iteration after loop body panic
//   ended: runtime error: range function recovered a loop body panic and did not resume panicking
//   kept 7 runtime error: range function continued iteration after loop body panic
// kept after a whole loop
//   kept 1 runtime error: range function continued iteration after whole loop exit
//   after the loop
//   ended: <nil>
//   kept 2 runtime error: range function continued iteration after loop body panic
// kept after break
//   kept 1 runtime error: range function continued iteration after whole loop exit
//   kept 2 runtime error: range function continued iteration after loop body panic
//   after the loop
//   ended: <nil>
// kept after return
// 101
//   kept 1 runtime error: range function continued iteration after whole loop exit
//   after the loop
//   ended: <nil>
// recovered by a deferred call
//   deferred runtime error: range function continued iteration after function for loop body returned false
//   ended: runtime error: range function recovered a loop body panic and did not resume panicking
// asks again
//   first 0 false
//   first 0 <nil>
//   second 0 runtime error: range function continued iteration after function for loop body returned false
//   third 0 runtime error: range function continued iteration after loop body panic
//   ended: by the iterator
//   kept 3 runtime error: range function continued iteration after loop body panic
// reentrant
//   again 5 runtime error: range function continued iteration after loop body panic
//   body 0
//   body 1
//   after the loop
//   ended: <nil>
// deferred calls of the body
//   deferred by the body 1
//   deferred by the body 0
//   ended: runtime error: range function continued iteration after function for loop body returned false
// deferred calls of the body, recovered
//   in 0 true
//   in 0 <nil>
//   in 1 false
//   in 1 <nil>
//   in 2 runtime error: range function continued iteration after function for loop body returned false
//   in 3 runtime error: range function continued iteration after loop body panic
//   deferred by the body 1
//   deferred by the body 0
//   ended: runtime error: range function recovered a loop body panic and did not resume panicking
// nested, break of the outer loop
//   in 0 true
//   in 0 <nil>
//   in 1 true
//   in 1 <nil>
//   in 2 true
//   in 2 <nil>
//   in 3 true
//   in 3 <nil>
//   inner 8 runtime error: range function continued iteration after whole loop exit
//   in 0 true
//   in 0 <nil>
//   in 1 false
//   in 1 <nil>
//   in 2 runtime error: range function continued iteration after function for loop body returned false
//   in 3 runtime error: range function continued iteration after loop body panic
//   ended: runtime error: range function recovered a loop body panic and did not resume panicking
// nested, continue of the outer loop
//   continue 0
//   ended: runtime error: range function continued iteration after function for loop body returned false
// nested, continue, kept
//   inner 1 runtime error: range function continued iteration after whole loop exit
//   inner 2 runtime error: range function continued iteration after loop body panic
//   outer 2 runtime error: range function continued iteration after whole loop exit
//   after the loop
//   ended: <nil>
// nested, the body of the outer loop is called by the inner one
//   outer 0 runtime error: range function continued iteration after loop body panic
//   outer 1 runtime error: range function continued iteration after loop body panic
//   outer 2 runtime error: range function continued iteration after loop body panic
//   body 0
//   after the loop
//   ended: <nil>
// three loops
//   deferred runtime error: range function continued iteration after function for loop body returned false
//   in 0 runtime error: range function recovered a loop body panic and did not resume panicking
//   in 1 runtime error: range function continued iteration after loop body panic
//   in 2 runtime error: range function continued iteration after loop body panic
//   in 3 runtime error: range function continued iteration after loop body panic
//   ended: runtime error: range function recovered a loop body panic and did not resume panicking
// goto
//   ended: runtime error: range function continued iteration after function for loop body returned false
// goto, recovered
//   in 0 true
//   in 0 <nil>
//   in 1 false
//   in 1 <nil>
//   in 2 runtime error: range function continued iteration after function for loop body returned false
//   in 3 runtime error: range function continued iteration after loop body panic
//   ended: runtime error: range function recovered a loop body panic and did not resume panicking
// within a loop of another kind
//   in 0 true
//   in 0 <nil>
//   in 1 false
//   in 1 <nil>
//   in 2 runtime error: range function continued iteration after function for loop body returned false
//   in 3 runtime error: range function continued iteration after loop body panic
//   ended: runtime error: range function recovered a loop body panic and did not resume panicking
// a goroutine ends in the body
//   deferred in the body
//   kept 1 runtime error: range function continued iteration after whole loop exit
//   after the loop
//   ended: <nil>
// pairs
//    a 1
//   recovered runtime error: range function continued iteration after function for loop body returned false
//   ended: again
// nothing to range over
//   ended: runtime error: range function continued iteration after function for loop body returned false
