//go:build ignore

package main

func main() {
	const z = 0
	println(1 / z)
}

// CompileError:
// divide_by_zero_filetest.go:7:14: invalid operation: division by zero
