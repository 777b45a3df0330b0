//go:build ignore

package main

import "runtime"

type node struct {
	next  *node
	bytes [64]byte
}

// An empty slice at the end of its array is not nil, and touches nothing beside it.
func main() {
	var z []int
	println(z[0:] == nil, z[:0:0] == nil)
	heap := make([]int, 4, 8)
	end := heap[8:8]
	println(end == nil, len(end), cap(end), heap[4:] == nil, cap(heap[4:]))
	end = append(end, 7)
	println(len(heap[:8]), heap[:8][7], end[0])
	text := "four"[len(heap):]
	println(len(text), text == "", text+"x")
	local()
	var ends [][]*node
	for i := range 300 {
		s := []*node{{}, {}, {}}
		s[2].bytes[0] = byte(i)
		ends = append(ends, s[3:], s[:2])
		runtime.GC()
	}
	n := 0
	for i, s := range ends {
		n += len(s) + cap(s)*1000
		for _, p := range s[:cap(s)] {
			n += int(p.bytes[0]) * 100_000
			p.next = &node{}
		}
		ends[i] = append(s, nil)
	}
	println(n)
}

// local has arrays of pointers beside each other, in frames one after the other.
//
//go:noinline
func local() {
	var a, b, c [2]*node
	a[1] = &node{bytes: [64]byte{1}}
	tails := [][]*node{a[2:], b[2:], c[2:]}
	b[0], c[1] = a[1], &node{bytes: [64]byte{2}}
	deeper(tails, 3)
	runtime.GC()
	for _, t := range tails {
		println(t == nil, len(t), cap(t), len(append(t, a[1])))
	}
	println(a[0] == nil, a[1].bytes[0], b[0].bytes[0], b[1] == nil, c[0] == nil, c[1].bytes[0])
}

//go:noinline
func deeper(tails [][]*node, n int) {
	var d [1]*node
	if n > 0 {
		deeper(append(tails, d[1:]), n-1)
	}
	d[0] = &node{}
	runtime.GC()
	println(len(tails), d[0].bytes[0], len(tails[len(tails)-1]))
}

// Stderr:
// true true
// false 0 0 false 4
// 8 0 7
// 0 true x
// 6 0 0
// 5 0 0
// 4 0 0
// 3 0 0
// false 0 0 1
// false 0 0 1
// false 0 0 1
// true 1 1 true true 2
// 3359500600
