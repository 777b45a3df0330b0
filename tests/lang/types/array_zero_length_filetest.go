//go:build ignore

package main

func main() {
	var a [0]int
	var b [5]struct{}
	println(len(a), len(b), a == [0]int{}, b[4] == struct{}{})
	for range b {
		print(".")
	}
	println()
}

// Stderr:
// 0 5 true true
// .....
