//go:build ignore

package main

func main() {
	a := new()
	b := new(int, 5)
	println(a, b)
}

// CompileError:
// new_bad_filetest.go:6:11: invalid operation: not enough arguments for new() (expected 1, found 0)
// new_bad_filetest.go:7:17: invalid operation: too many arguments for new(int, 5) (expected 1, found 2)
