//go:build ignore

package main

type S []int
type M map[string]S
type F func(S) []int
type C chan int

func main() {
	var s S = []int{1}
	var t []int = s
	var m M = map[string]S{"a": t}
	var f F = func(s S) []int { return s }
	var c C = make(chan int, 1)
	var send chan<- int = c
	send <- 3
	println(len(m["a"]), f(t)[0], <-c)
}

// Stderr:
// 1 1 3
