//go:build ignore

package main

type T struct{ n int }

func (t *T) Error() string { return "T" }

func main() {
	var x any
	var v *T
	x = 42
	_, isInt := x.(int)
	x = v
	_, isT := x.(*T)
	println(isInt, isT, x == nil, x == (*T)(nil))
	var e error = v
	println(e == nil, e != nil)
}

// Stderr:
// true true false true
// false true
