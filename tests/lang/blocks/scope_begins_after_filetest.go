//go:build ignore

package main

func main() {
	x := 1
	{
		x, y := x+1, x+2
		println(x, y)
	}
	type T struct{ next *T }
	var t T
	println(x, t.next == nil)
}

// Stderr:
// 2 3
// 1 true
