package lists

import "testing"

// What does it cost to call a closure that is in an interface, against a closure that is not?

// In the naive form both closures are in sight of the compiler: it knows what is in the interface, what is called
// and with what, so there is no interface, no closure and no call.

func BenchmarkClosureNaiveDirect(b *testing.B) {
	k := 3
	f := func(n int) int { return n + k }
	for i := 0; i < b.N; i++ {
		_ = f(4)
	}
}

func BenchmarkClosureNaiveAny(b *testing.B) {
	k := 3
	var f any = func(n int) int { return n + k }
	for i := 0; i < b.N; i++ {
		_ = f.(func(int) int)(4)
	}
}

// In the right form the closures come from a setup: what they are is known when they are called, and not before.

func newAdder(k int) func(int) int { return func(n int) int { return n + k } }

func newAnyAdder(k int) any { return newAdder(k) }

//gyr:bench group=closure baseline setup=newAdder k=3 n=4
func closureDirect(f func(int) int, n int) int { return f(n) }

//gyr:bench group=closure setup=newAnyAdder k=3 n=4
func closureAny(f any, n int) int { return f.(func(int) int)(n) }
