//go:build ignore

package main

type T [2]T

func main() {
	var t T
	println(len(t))
}

// CompileError:
// array_recursive_filetest.go:5:6: invalid recursive type: T refers to itself
