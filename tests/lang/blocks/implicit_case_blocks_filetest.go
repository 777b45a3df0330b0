//go:build ignore

package main

func main() {
	switch x := 5; {
	case x > 3:
		x := "case"
		println(x)
	default:
		x := "default"
		println(x)
	}
	select {
	default:
		x := 3
		println(x)
	}
}

// Stderr:
// case
// 3
