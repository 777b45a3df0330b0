//go:build ignore

package main

func set(a [3]int) { a[0] = 99 }

func main() {
	a := [3]int{1, 2, 3}
	b := a
	b[0] = 10
	set(a)
	println(a[0], b[0], a == [3]int{1, 2, 3}, a != b)
	p := &a
	p[1] = 20
	println(a[1], len(p))
}

// Gas: 430

// Stderr:
// 1 10 true true
// 20 3
