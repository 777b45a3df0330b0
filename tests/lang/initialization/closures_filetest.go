//go:build ignore

package main

var fs = []func() int{
	func() int { return len(table) },
	func() int { return table["a"] },
}

var table = map[string]int{"a": base * 2, "b": 1}
var base = 10

func main() { println(fs[0](), fs[1]()) }

// Stderr:
// 2 20
