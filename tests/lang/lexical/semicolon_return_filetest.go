//go:build ignore

package main

func f() (x int) {
	x = 5
	return
}

func main() {
	println(f())
	var p = []int{
		1,
		2,
	}
	println(len(p))
}

// Stderr:
// 5
// 2
