//go:build ignore

package main

type I interface{ private() int }

type T int

func (t T) private() int { return int(t) }

func main() {
	var i I = T(3)
	println(i.private())
}

// Stderr:
// 3
