//go:build ignore && go1.27

// A panic that the deferred calls of a deep recursion pass on takes time in proportion to the depth, as in Go since 1.27: each
// of them panics above the panics before it.
package main

import "fmt"

const depth = 50000

var passed int

func down(n int) {
	defer func() {
		passed++
		panic(recover())
	}()
	if n == 0 {
		panic("done")
	}
	down(n - 1)
}

// heap is as down, with deferred calls that the compiler does not know the number of.
func heap(n int) {
	for range n%2 + 1 {
		defer func() {
			passed++
			panic(recover())
		}()
	}
	if n == 0 {
		panic("done")
	}
	heap(n - 1)
}

func try(f func(int)) {
	passed = 0
	defer func() { fmt.Println(recover(), passed) }()
	f(depth)
}

func main() {
	try(down)
	try(heap)
}

// Output:
// done 50001
// done 75001
