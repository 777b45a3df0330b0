//go:build ignore

package main

func main() {
	var p *int
	var m map[int]int
	var c chan int
	var f func()
	var s []int
	var e any
	println(p, m, c, f, s, e)
}

// Stderr:
// 0x0 0x0 0x0 0x0 [0/0]0x0 (0x0,0x0)
