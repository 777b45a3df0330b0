//go:build ignore

package main

func main() {
	var a [4]int
	p := &a
	s := a[1:3]
	c := make(chan int, 5)
	c <- 1
	m := map[int]int{1: 1}
	println(len(a), cap(a), len(p), cap(p), len(s), cap(s), len(c), cap(c), len(m), len("日本"))
	var np *[7]int
	var ns []int
	var nc chan int
	println(len(np), cap(ns), len(nc))
}

// Stderr:
// 4 4 4 4 2 3 1 5 1 6
// 7 0 0
