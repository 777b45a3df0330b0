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
