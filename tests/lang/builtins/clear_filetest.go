//go:build ignore

package main

func main() {
	m := map[string]int{"a": 1, "b": 2}
	alias := m
	clear(m)
	println(len(m), len(alias))
	s := []int{1, 2, 3, 4}
	clear(s[1:3])
	println(s[0], s[1], s[2], s[3], len(s))
	var nm map[int]int
	clear(nm)
	p := []*int{new(int)}
	clear(p)
	println(p[0] == nil)
}

// Gas: 909
// Gas go1.27: 907

// Stderr:
// 0 0
// 1 0 0 4 4
// true
