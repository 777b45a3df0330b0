//go:build ignore

package main

import "fmt"

// When operands are read that stand beside a call: the specification leaves it open, and programs rely on gc.

type T struct{ a, b int }

func (t T) value(n int) int    { return t.a*1000 + n }
func (t *T) pointer(n int) int { return t.a*1000 + n }

type valuer interface{ value(int) int }

var global = 1

func main() {
	x, s, arr, p, m := 1, []int{1, 2, 3}, [3]int{1, 2, 3}, &T{1, 2}, map[int]int{1: 1, 2: 2}
	var i valuer = T{1, 2}
	e, str, fn := any(1), "a", func(n int) int { return n }
	reset := func() {
		x, s, arr, p, m, i, e, str = 1, []int{1, 2, 3}, [3]int{1, 2, 3}, &T{1, 2}, map[int]int{1: 1, 2: 2}, T{1, 2}, any(1), "a"
		fn, global = func(n int) int { return n }, 1
	}
	f := func() int {
		x, s, arr, p, m, i, e, str = 2, []int{10, 20, 30}, [3]int{10, 20, 30}, &T{10, 20}, map[int]int{1: 10, 2: 20}, &T{10, 20}, any(10), "b"
		fn, global = func(n int) int { return -n }, 2
		return 5
	}
	show := func(name string, list ...any) {
		fmt.Println(append([]any{name + ":"}, list...)...)
		reset()
	}
	// Late.
	show("variable", x, f())
	show("global", global, f())
	show("sum", x+f())
	show("element", s[1], arr[1], f())
	show("index", arr[x], f())
	show("field", p.a, (*p).b, f())
	show("map", m[1], m[x], f())
	show("interface", any(x), f())
	show("literal", T{x, 1}, []int{x}, [2]int{x, x}, f())
	show("concatenation", str+fmt.Sprint(f()))
	show("function", fn(f()))
	show("receivers", i.value(f()), p.value(f()), p.pointer(f()))
	show("conversion", float64(x), string([]byte(str)), f())
	show("pointer asserted", e == any(x), f())
	// In place.
	show("len", len(s[:x]), cap(s[x:]), f())
	show("slice", s[:2], str[:1], f())
	show("assertion", e.(int), f())
	show("&&", x == 1 && true, x == 2 || x == 1, f())
	show("min", min(x, 7), max(x, 0), f())
	show("append", append(s, x), f())
	show("map literal", map[int]int{1: x}, f())
	show("bytes", []byte(str), f())
	// Statements.
	a, b := x, f()
	show("definition", a, b)
	a, b = s[0], f()
	show("assignment", a, b)
	var c, d = p.a, f()
	show("declaration", c, d)
	s[x] = f()
	show("target", s)
	m[x] = f()
	show("target of a map", m)
	p.a = f()
	show("target of a field", *p)
	s[x] += f()
	show("operation", s)
	x += f()
	show("operation on a variable", x)
	if x == f()-3 {
		show("if")
	}
	switch x + f() {
	case 7:
		show("switch")
	}
	switch {
	case x == 1 && x < f()-2:
		show("case 1")
	case x+f() == 7:
		show("case 2")
	}
	for n := 0; n+x < f()-2; n++ {
		fmt.Println("for", n, x)
	}
	reset()
	show("return", fmt.Sprint(func() (int, int) { return x, f() }()))
	ch := make(chan int, 1)
	ch <- x + f()
	show("send", <-ch)
	func() {
		defer show("defer", x, f())
	}()
	func() {
		defer func() { show("panic", recover(), x) }()
		show("not reached", s[7], f())
	}()
	func() {
		defer func() { show("panic in place", recover(), x) }()
		show("not reached", s[7:], f())
	}()
	lists := map[int][]int{1: {1}, 2: {2}}
	lists[x] = append(lists[x], f())
	show("append to a map", lists)
}

// Output:
// variable: 2 5
// global: 2 5
// sum: 7
// element: 20 20 5
// index: 30 5
// field: 10 20 5
// map: 10 20 5
// interface: 2 5
// literal: {1 1} [2] [1 1] 5
// concatenation: b5
// function: -5
// receivers: 10005 10005 10005
// conversion: 2 a 5
// pointer asserted: true 5
// len: 1 2 5
// slice: [1 2] a 5
// assertion: 1 5
// &&: true true 5
// min: 1 1 5
// append: [1 2 3 1] 5
// map literal: map[1:1] 5
// bytes: [97] 5
// definition: 2 5
// assignment: 10 5
// declaration: 10 5
// target: [10 20 5]
// target of a map: map[1:10 2:5]
// target of a field: {5 20}
// operation: [10 20 35]
// operation on a variable: 7
// if:
// switch:
// case 1:
// for 0 2
// return: 2 5
// send: 7
// defer: 2 5
// panic: runtime error: index out of range [7] with length 3 2
// panic in place: runtime error: slice bounds out of range [7:3] 1
// append to a map: map[1:[1 5] 2:[2]]
