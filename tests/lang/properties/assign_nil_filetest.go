//go:build ignore

package main

func main() {
	var p *int = nil
	var f func() = nil
	var s []int = nil
	var m map[int]int = nil
	var c chan int = nil
	var i any = nil
	println(p == nil, f == nil, s == nil, m == nil, c == nil, i == nil)
}

// Stderr:
// true true true true true true
