//go:build ignore

package main

type T struct{ a [3]int }

func main() {
	x := 1
	p := &x
	t := &T{}
	q := &t.a[1]
	*q = 5
	r := &(*p)
	println(p == r, t.a[1], *&x, &t.a[1] == q)
	s := []int{1, 2}
	e := &s[1]
	s = append(s, 3)
	s[1] = 9
	println(*e)
}

// Stderr:
// true 5 1 true
// 2
