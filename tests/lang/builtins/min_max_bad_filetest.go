//go:build ignore

package main

func main() {
	x, f := 1, 2.0
	println(min(x, f))
	println(max([]int{}, []int{}))
	println(min())
	println(max(1, "a"))
}

// CompileError:
// min_max_bad_filetest.go:7:17: invalid argument: mismatched types int (previous argument) and float64 (type of f)
// min_max_bad_filetest.go:8:14: invalid argument: []int{} (value of type []int) cannot be ordered
// min_max_bad_filetest.go:9:14: invalid operation: not enough arguments for min() (expected 1, found 0)
// min_max_bad_filetest.go:10:17: invalid argument: mismatched types untyped int (previous argument) and untyped string (type of "a")
