//go:build ignore

package main

func t(n int) int { print(n, " "); return n }

func main() {
	switch t(2) {
	default:
		println("default")
	case t(1), t(2), t(3):
		println("found")
	case t(4):
		println("no")
	}
	switch {
	case t(1) == 2:
	case t(5) == 5:
		println("true")
	}
	switch x := t(7); {
	case x > 5:
		println("big")
	}
	switch t(8); {
	}
	println()
}

// Stderr:
// 2 1 2 found
// 1 5 true
// 7 big
// \"8 "
