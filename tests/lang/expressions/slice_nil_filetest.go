//go:build ignore

package main

func main() {
	var s []int
	t := s[:]
	println(t == nil, s[0:0] == nil, len(s[:0]))
	e := []int{}
	println(e == nil, e[:0] == nil)
}

// Stderr:
// true true 0
// false false
