//go:build ignore

package main

func main() {
	var a, b int
	a = 1
	b = 2
	if a < b {
		println("less")
	} else {
		println("more")
	}
	for i := 0; i < 2; i++ {
		println(i)
	}
	func() { println("no semicolon before )") }()
}

// Stderr:
// less
// 0
// 1
// no semicolon before )
