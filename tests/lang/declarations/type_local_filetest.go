//go:build ignore

package main

func f() any {
	type T struct{ n int }
	return T{1}
}

func g() any {
	type T struct{ n int }
	return T{1}
}

func main() { println(f() == f(), f() == g()) }

// Stderr:
// true false
