//go:build ignore

package main

func main() {
	s := make([]int, 10, 100)
	t := make([]int, 1e3)
	c := make(chan int, 10)
	m := make(map[string]int, 100)
	n := 7
	u := make([]byte, n, n*2)
	println(len(s), cap(s), len(t), cap(c), len(m), len(u), cap(u))
}

// Stderr:
// 10 100 1000 10 0 7 14
