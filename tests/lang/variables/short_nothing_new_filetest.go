//go:build ignore

package main

func main() {
	a, b := 1, 2
	a, b := 3, 4
	println(a, b)
}

// CompileError:
// short_nothing_new_filetest.go:7:7: no new variables on left side of :=
