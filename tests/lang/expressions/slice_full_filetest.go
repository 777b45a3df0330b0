//go:build ignore

package main

func main() {
	a := []int{1, 2, 3, 4, 5}
	t := a[1:3:4]
	println(len(t), cap(t))
	t = append(t, 40)
	t = append(t, 50)
	t[0] = -2
	println(a[3], a[1], a[4], len(a[:0:0]), cap(a[:2:5]))
}

// Gas: 509

// Stderr:
// 2 3
// 40 2 5 0 5
