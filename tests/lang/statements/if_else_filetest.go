//go:build ignore

package main

func grade(n int) string {
	if n >= 90 {
		return "A"
	} else if n := n + 10; n >= 90 {
		return "B"
	} else if n > 60 {
		return "C"
	}
	return "D"
}

func main() { println(grade(95), grade(85), grade(55), grade(10)) }

// Gas: 237

// Stderr:
// A B C D
