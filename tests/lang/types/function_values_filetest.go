//go:build ignore

package main

func apply(f func(int) int, n int) int { return f(n) }

func adder(d int) func(int) int { return func(n int) int { d++; return n + d } }

func main() {
	a := adder(10)
	println(apply(a, 1), apply(a, 1), apply(func(n int) int { return n * n }, 9))
	var f func()
	println(f == nil)
}

// Gas: 362

// Stderr:
// 12 13 81
// true
