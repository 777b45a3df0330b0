//go:build ignore

package main

func main() {
	a := make([]int)
	b := make([]int, 10, 0)
	c := make([]int, -1)
	d := make(int)
	e := make([]int, 2.5)
	println(a, b, c, d, e)
}

// CompileError:
// make_bad_filetest.go:6:7: invalid operation: make([]int) expects 2 or 3 arguments; found 1
// make_bad_filetest.go:7:19: invalid argument: length and capacity swapped
// make_bad_filetest.go:8:19: invalid argument: index -1 (constant of type int) must not be negative
// make_bad_filetest.go:9:12: invalid argument: cannot make int: type must be slice, map, or channel
// make_bad_filetest.go:10:19: 2.5 (untyped float constant) truncated to int
