//go:build ignore

package main

func main() {
	a := [3]int{}
	s := "abc"
	println(a[3], a[-1])
	println("abc"[5], s[-1])
	println(a[1.5])
}

// CompileError:
// index_constant_range_filetest.go:8:12: invalid argument: index 3 out of bounds [0:3]
// index_constant_range_filetest.go:8:18: invalid argument: index -1 (constant of type int) must not be negative
// index_constant_range_filetest.go:9:16: invalid argument: index 5 out of bounds [0:3]
// index_constant_range_filetest.go:9:22: invalid argument: index -1 (constant of type int) must not be negative
// index_constant_range_filetest.go:10:12: 1.5 (untyped float constant) truncated to int
