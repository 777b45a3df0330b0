//go:build ignore && go1.27

// Literals with promoted keys in package variables: constants, addresses and calls.
package main

import "fmt"

type Base struct {
	x  int8
	s  string
	fn func() int
}

type Mid struct {
	pad [2]uint16
	Base
}

type Top struct {
	Mid
	p *Mid
	i any
}

var constant = Top{x: 1, s: "s", pad: [2]uint16{3, 4}}

var addressed = &Top{s: "a", p: &Mid{x: 2, s: "inner"}, i: Mid{x: 3}.x}

var table = [...]Top{{x: 1}, {s: "two"}, {i: &Base{x: 3}}, {fn: func() int { return 44 }}}

var byName = map[string]*Top{"k": {x: 5, p: addressed.p}}

var called = Top{x: int8(later()), s: fmt.Sprint(constant.x), fn: later}

var nested = struct {
	Top
	more []Top
}{x: -1, more: []Top{{x: -2}, {s: "deep"}}}

func later() int { return len(table) }

func main() {
	fmt.Println(constant.x, constant.s, constant.pad, constant.p, constant.i)
	fmt.Println(addressed.s, addressed.p.x, addressed.p.s, addressed.i)
	fmt.Println(table[0].x, table[1].s, table[2].i.(*Base).x, table[3].fn())
	fmt.Println(byName["k"].x, byName["k"].p == addressed.p)
	fmt.Println(called.x, called.s, called.fn())
	fmt.Println(nested.x, nested.more[0].x, nested.more[1].s, nested.p == nil)
}

// Output:
// 1 s [3 4] <nil> <nil>
// a 2 inner 3
// 1 two 3 44
// 5 true
// 4 1 4
// -1 -2 deep true
