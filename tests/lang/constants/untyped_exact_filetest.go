//go:build ignore

package main

const (
	Huge = 1 << 100
	Four = Huge >> 98
)

func main() {
	println(Four, Huge/(1<<90))
	const third = 1.0 / 3
	println(third*3 == 1)
}

// Stderr:
// 4 1024
// true
