//go:build ignore

package main

type A struct{ n int }
type B struct{ n int }
type C struct {
	A
	B
}

func main() {
	var c C
	println(c.A.n)
	println(c.n)
}

// CompileError:
// selector_ambiguous_filetest.go:15:12: ambiguous selector c.n
