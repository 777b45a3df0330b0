//go:build ignore

package main

type P struct{ x int }

func main() {
	var a struct{ x int }
	var p P = a // assignable: one of them is not named
	var f func(int, ...string) = func(x int, ys ...string) {}
	var m map[string][]int = map[string][]int{}
	var i any = struct{ x int }{1}
	_, same := i.(struct{ x int })
	_, named := i.(P)
	println(p.x, f != nil, m != nil, same, named)
}

// Stderr:
// 0 true true true false
