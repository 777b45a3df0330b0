//go:build ignore

package main

func main() {
	a := [5]int{1, 2, 3, 4, 5}
	s := a[1:4]
	println(len(s), cap(s), s[0], len(a[:2]), len(a[3:]), len(a[:]))
	t := s[:4]
	println(len(t), t[3])
	str := "hello"
	println(str[1:3], str[:0] == "", str[5:] == "")
	p := &a
	println(len(p[2:]))
}

// Stderr:
// 3 4 2 2 2 5
// 4 5
// el true true
// 3
