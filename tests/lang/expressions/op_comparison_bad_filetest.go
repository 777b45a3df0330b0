//go:build ignore

package main

type S struct{ f []int }

func main() {
	var a, b S
	println(a == b)
	var m, n map[int]int
	println(m == n)
	println(a < b)
	var s []int
	println(s == s)
}

// CompileError:
// op_comparison_bad_filetest.go:9:10: invalid operation: a == b (struct containing []int cannot be compared)
// op_comparison_bad_filetest.go:11:10: invalid operation: m == n (map can only be compared to nil)
// op_comparison_bad_filetest.go:12:10: invalid operation: a < b (operator < not defined on struct)
// op_comparison_bad_filetest.go:14:10: invalid operation: s == s (slice can only be compared to nil)
