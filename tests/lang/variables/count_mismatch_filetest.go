//go:build ignore

package main

func two() (int, int) { return 1, 2 }

func main() {
	var a, b, c = two()
	var d = two()
	println(a, b, c, d)
}

// CompileError:
// count_mismatch_filetest.go:8:16: assignment mismatch: 3 variables but two returns 2 values
// count_mismatch_filetest.go:9:10: multiple-value two() (value of type (int, int)) in single-value context
