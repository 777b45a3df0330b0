//go:build ignore

package main

func main() {
	s := "hello"
	println(s[0:2:3])
	a := []int{1, 2}
	println(a[1:0])
}

// CompileError:
// slice_string_full_filetest.go:7:16: invalid operation: 3-index slice of string
// slice_string_full_filetest.go:9:14: invalid slice indices: 0 < 1
