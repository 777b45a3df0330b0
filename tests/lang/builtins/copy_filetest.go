//go:build ignore

package main

func main() {
	a := []int{0, 1, 2, 3, 4, 5, 6, 7}
	s := make([]int, 6)
	b := make([]byte, 5)
	n1 := copy(s, a[0:])
	n2 := copy(s, s[2:])
	n3 := copy(b, "Hello, World!")
	println(n1, n2, n3, s[0], s[3], s[5], string(b))
	copy(a[1:], a)
	println(a[7], a[1], copy(a, []int(nil)))
}

// Gas: 627

// Stderr:
// 6 4 5 2 5 5 Hello
// 6 0 0
