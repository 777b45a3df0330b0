//go:build ignore

package main

func main() {
	var s []int
	s = append(s)
	println(s == nil)
	s = append(s, 0)
	s = append(s, 2, 3)
	s = append(s, s...)
	var t []any
	t = append(t, 42, 3.14, "foo")
	b := append([]byte("hello "), "world"...)
	println(len(s), s[4], len(t), string(b))
	u := append(s[:2], s[3:]...)
	println(len(u), u[2], s[2])
}

// Gas: 816

// Stderr:
// true
// 6 2 3 hello world
// 5 0 0
