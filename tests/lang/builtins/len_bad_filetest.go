//go:build ignore

package main

func main() {
	println(len(5))
	println(cap(map[int]int{}))
	println(cap("abc"))
	println(len())
}

// CompileError:
// len_bad_filetest.go:6:14: invalid argument: 5 (untyped int constant) for built-in len
// len_bad_filetest.go:7:14: invalid argument: map[int]int{} (value of type map[int]int) for built-in cap
// len_bad_filetest.go:8:14: invalid argument: "abc" (untyped string constant) for built-in cap
// len_bad_filetest.go:9:14: invalid operation: not enough arguments for len() (expected 1, found 0)
