//go:build ignore

package main

func f() (a int, b string) {
	defer func() { a *= 2 }()
	a, b = 1, "x"
	return a + 4, b + "y"
}

func g() (n int, err error) {
	n = 3
	return
}

func main() {
	println(f())
	n, err := g()
	println(n, err == nil)
}

// Gas: 405

// Stderr:
// 10 xy
// 3 true
