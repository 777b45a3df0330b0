//go:build ignore

package main

func main() {
	a := make([]int, 2, 4)
	b := append(a, 1)
	c := append(a, 2)
	println(b[2], c[2], &b[0] == &c[0])
	d := append(c, 3, 4)
	d[0] = 9
	println(a[0], len(d), &d[0] == &a[0])
	e := append(a[:1], a...)
	println(len(e), e[2])
}

// Gas: 599

// Stderr:
// 2 2 true
// 0 5 false
// 3 0
