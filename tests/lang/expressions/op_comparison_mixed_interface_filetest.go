//go:build ignore

package main

type I interface{ M() }
type T int

func (T) M() {}

func main() {
	var i I = T(3)
	var t T = 3
	println(i == t, t == i, i != T(4))
	var e any = i
	println(e == i, e == any(T(3)))
}

// Stderr:
// true true true
// true true
