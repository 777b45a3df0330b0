//go:build ignore

package main

func main() {
	const f = 4.0
	var a [f]int
	println(len(a), 1<<f, "abc"[f-2])
}

// Stderr:
// 4 16 99
