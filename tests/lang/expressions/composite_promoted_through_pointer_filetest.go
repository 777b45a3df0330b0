//go:build ignore && go1.27

// The embedded pointer itself is a key as any other, and what it points to a literal with keys of its own.
package main

import "fmt"

type Base struct{ x, y int }

type Mid struct {
	Base
	n int
}

type P struct{ *Mid }

type Q struct {
	P
	m map[string]*Mid
}

func main() {
	q := Q{Mid: &Mid{x: 1, n: 2}, m: map[string]*Mid{"k": {y: 3}}}
	fmt.Println(*q.Mid, *q.m["k"], q.x)
	shared := &Mid{x: 5}
	a, b := P{Mid: shared}, Q{Mid: shared}
	a.x = 6
	fmt.Println(b.x, Q{}.Mid == nil)
}

// Output:
// {{1 0} 2} {{0 3} 0} 1
// 6 true
