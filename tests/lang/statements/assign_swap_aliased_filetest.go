//go:build ignore

package main

type N struct {
	next *N
	v    int
}

func main() {
	a, b := &N{v: 1}, &N{v: 2}
	a.next = b
	a, a.next = a.next, a
	println(a.v, a.next == nil)
	x := []int{1, 2, 3}
	i := 0
	i, x[i], x[i+1] = 2, x[i+1], x[i]
	println(i, x[0], x[1])
}

// Stderr:
// 2 true
// 2 2 1
