//go:build ignore

package main

func main() {
	s := make([]int, 3, 10)
	t := new([10]int)[0:3]
	println(len(s), cap(s), len(t), cap(t), s[2] == t[2])
	s = s[:10]
	println(len(s))
}

// Stderr:
// 3 10 3 10 true
// 10
