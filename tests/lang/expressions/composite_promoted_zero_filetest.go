//go:build ignore && go1.27

// What no key names is zero, beside and below the keys that are given.
package main

import (
	"fmt"
	"sync"
)

type Big struct {
	a [40]int
	s string
}

type Mid struct {
	Big
	_  int
	ok bool
}

type Top struct {
	m sync.Mutex
	Mid
	tail [3]string
}

var sink any

func dirty() {
	var b [200]int
	for i := range b {
		b[i] = i + 1
	}
	sink = &b
}

func build(i int) Top { return Top{s: fmt.Sprint(i), tail: [3]string{1: "t"}} }

func main() {
	dirty()
	t := build(1)
	sum := 0
	for _, v := range t.a {
		sum += v
	}
	fmt.Println(sum, t.s, t.ok, t.tail)
	var r Top
	r.a[3], r.ok, r.s = 5, true, "old"
	r.Mid = Mid{s: "new"}
	fmt.Println(r.a[3], r.ok, r.s)
	for i := range 2 {
		x := Mid{ok: i == 0}
		x.a[i]++
		fmt.Println(x.a[0], x.a[1], x.ok)
	}
	y := &Mid{a: [40]int{39: 1}}
	fmt.Println(y.a[38], y.a[39], y.s == "")
}

// Output:
// 0 1 false [ t ]
// 0 false new
// 1 0 true
// 0 1 false
// 0 1 true
