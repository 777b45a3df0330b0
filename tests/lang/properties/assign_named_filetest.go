//go:build ignore

package main

type S []int
type T []int

func main() {
	var s S
	var t T = s
	println(t)
}

// CompileError:
// assign_named_filetest.go:10:12: cannot use s (variable of slice type S) as T value in variable declaration
