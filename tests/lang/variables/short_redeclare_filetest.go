//go:build ignore

package main

func f() (int, error) { return 1, nil }
func g() (int, error) { return 2, nil }

func main() {
	a, err := f()
	p := &err
	b, err := g()
	println(a, b, p == &err)
	if a, c := 9, 8; a > c {
		println(a, c)
	}
	println(a)
}

// Stderr:
// 1 2 true
// 9 8
// 1
