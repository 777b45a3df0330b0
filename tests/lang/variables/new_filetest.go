//go:build ignore

package main

func main() {
	p, q := new(int), new(int)
	*p = 5
	println(*p, *q, p == q)
	s := new([]string)
	*s = append(*s, "x")
	println(len(*s), (*s)[0])
	n := new(40 + 2)
	println(*n)
}

// Stderr:
// 5 0 false
// 1 x
// 42
