//go:build ignore

package main

func main() {
	var s uint = 3
	var u = 1.0 << s
	var w int64 = 1.0<<s + 1.5
	println(u, w)
}

// CompileError:
// op_shift_untyped_bad_filetest.go:7:10: invalid operation: shifted operand 1.0 (type float64) must be integer
// op_shift_untyped_bad_filetest.go:8:25: 1.5 (untyped float constant) truncated to int64
