//go:build ignore

package main

type T struct {
	n int
	s string
}

func main() {
	a, b := T{1, "x"}, T{1, "x"}
	p, q := &a, &a
	c := make(chan int)
	d := c
	println(a == b, p == q, p == &b, c == d, [2]T{a, b} == [2]T{b, a})
	var i, j any = a, b
	println(i == j, i == any(1), any(int8(1)) == any(1), i != nil)
	println("abc" < "abd", "ab" < "abc", "Z" < "a")
}

// Gas: 825

// Stderr:
// true true false true true
// true false false true
// true true true
