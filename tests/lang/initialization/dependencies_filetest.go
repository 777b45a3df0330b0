//go:build ignore

package main

var (
	a = c + b
	b = f()
	c = f()
	d = 3
)

func f() int {
	d++
	return d
}

func main() { println(a, b, c, d) }

// Stderr:
// 9 4 5 5
