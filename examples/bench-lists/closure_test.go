package lists

import "testing"

// What does it cost to call a closure through an interface, compared with calling it directly?

// In the naive form the compiler sees both closures: it knows the contents of the interface, the
// callee and the arguments. So no interface, no closure and no call is left.

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

// In the right form a setup makes the closures. The compiler does not know them where they are
// called.

func newAdder(k int) func(int) int { return func(n int) int { return n + k } }

func newAnyAdder(k int) any { return newAdder(k) }

//gyr:bench group=closure baseline setup=newAdder k=3 n=4
func closureDirect(f func(int) int, n int) int { return f(n) }

//gyr:bench group=closure setup=newAnyAdder k=3 n=4
func closureAny(f any, n int) int { return f.(func(int) int)(n) }
