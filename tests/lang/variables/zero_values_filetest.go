//go:build ignore

package main

type T struct {
	i int
	f float64
	s string
	p *T
	a [2]bool
}

func main() {
	var t T
	var m map[string]int
	var s []int
	var c chan int
	var f func()
	var e any
	println(t.i, t.f == 0, t.s == "", t.p == nil, t.a[1])
	println(m == nil, s == nil, c == nil, f == nil, e == nil, len(m), len(s))
}

// Stderr:
// 0 true true true false
// true true true true true 0 0
