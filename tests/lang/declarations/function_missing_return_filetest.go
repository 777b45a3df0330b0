//go:build ignore

package main

func f(x int) int {
	if x > 0 {
		return 1
	}
}

func g(x int) int {
	for x > 0 {
	}
}

func main() {}

// CompileError:
// function_missing_return_filetest.go:9:1: missing return
// function_missing_return_filetest.go:14:1: missing return
