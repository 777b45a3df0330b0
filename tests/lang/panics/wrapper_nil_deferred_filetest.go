//go:build ignore

// A nil pointer is dereferenced in the wrapper of a promoted method, and the function that called it has deferred calls, whose number
// the compiler knows or does not.
package main

import "fmt"

type I interface{ M() I }

type T struct{ x int }

func (t *T) M() I { return t }

type Far struct {
	pad [1 << 20]byte
	T
}

type Near struct{ T }

type Twice struct{ *Near }

//go:noinline
func linked(i I) I {
	for n := range 2 {
		defer func() { fmt.Println("deferred", n) }()
	}
	return i.M()
}

//go:noinline
func open(i I) I {
	defer func() { fmt.Println("deferred") }()
	return i.M()
}

// value calls the wrapper as a function value.
//
//go:noinline
func value(i I) I {
	for n := range 2 {
		defer func() { fmt.Println("deferred", n) }()
	}
	f := i.M
	return f()
}

// ranged defers in the body of a range over a function.
//
//go:noinline
func ranged(i I) I {
	for n := range func(yield func(int) bool) { _ = yield(0) && yield(1) } {
		defer func() { fmt.Println("deferred", n) }()
	}
	return i.M()
}

func main() {
	for _, f := range []func(I) I{linked, open, value, ranged} {
		for _, i := range []I{(*Near)(nil), (*Far)(nil), Twice{}, &Twice{}, (*Twice)(nil)} {
			func() {
				defer func() { fmt.Printf("%T: %v\n", i, recover()) }()
				fmt.Println(f(i).(*T))
			}()
		}
	}
}

// Output:
// deferred 1
// deferred 0
// *main.Near: runtime error: invalid memory address or nil pointer dereference
// deferred 1
// deferred 0
// *main.Far: runtime error: invalid memory address or nil pointer dereference
// deferred 1
// deferred 0
// main.Twice: runtime error: invalid memory address or nil pointer dereference
// deferred 1
// deferred 0
// *main.Twice: runtime error: invalid memory address or nil pointer dereference
// deferred 1
// deferred 0
// *main.Twice: runtime error: invalid memory address or nil pointer dereference
// deferred
// *main.Near: runtime error: invalid memory address or nil pointer dereference
// deferred
// *main.Far: runtime error: invalid memory address or nil pointer dereference
// deferred
// main.Twice: runtime error: invalid memory address or nil pointer dereference
// deferred
// *main.Twice: runtime error: invalid memory address or nil pointer dereference
// deferred
// *main.Twice: runtime error: invalid memory address or nil pointer dereference
// deferred 1
// deferred 0
// *main.Near: runtime error: invalid memory address or nil pointer dereference
// deferred 1
// deferred 0
// *main.Far: runtime error: invalid memory address or nil pointer dereference
// deferred 1
// deferred 0
// main.Twice: runtime error: invalid memory address or nil pointer dereference
// deferred 1
// deferred 0
// *main.Twice: runtime error: invalid memory address or nil pointer dereference
// deferred 1
// deferred 0
// *main.Twice: runtime error: invalid memory address or nil pointer dereference
// deferred 1
// deferred 0
// *main.Near: runtime error: invalid memory address or nil pointer dereference
// deferred 1
// deferred 0
// *main.Far: runtime error: invalid memory address or nil pointer dereference
// deferred 1
// deferred 0
// main.Twice: runtime error: invalid memory address or nil pointer dereference
// deferred 1
// deferred 0
// *main.Twice: runtime error: invalid memory address or nil pointer dereference
// deferred 1
// deferred 0
// *main.Twice: runtime error: invalid memory address or nil pointer dereference
