//go:build ignore

package main

func main() {
	var m map[int]int
	println(m[1], len(m))
	delete(m, 1)
	for range m {
		println("never")
	}
	m[1] = 2
}

// Stderr:
// 0 0

// Error:
// panic: assignment to entry in nil map
