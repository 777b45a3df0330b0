//go:build ignore

package main

func main() {
	a := [5]int{1, 2, 3, 4, 5}
	s := a[1:4]
	t := s[1:]
	t[0] = 30
	println(a[2], s[1], len(s), cap(s), len(t), cap(t))
	s = append(s, 50)
	println(a[4])
	s = append(s, 60)
	s[0] = -1
	println(a[1], len(s))
}

// Gas: 676

// Stderr:
// 30 30 3 4 2 3
// 50
// 2 5
