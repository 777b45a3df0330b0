//go:build ignore

package main

type A struct{ x int }
type B struct{ y int }

func main() {
	println(B(A{1}))
	println([]int([]int8{}))
	println(int("5"))
	println((*int)(nil) == (*int8)(nil))
	println([]byte(5))
}

// CompileError:
// convert_bad_filetest.go:9:12: cannot convert A{…} (value of struct type A) to type B
// convert_bad_filetest.go:10:16: cannot convert []int8{} (value of type []int8) to type []int
// convert_bad_filetest.go:11:14: cannot convert "5" (untyped string constant) to type int
// convert_bad_filetest.go:12:25: invalid operation: (*int)(nil) == (*int8)(nil) (mismatched types *int and *int8)
// convert_bad_filetest.go:13:17: cannot convert 5 (untyped int constant) to type []byte
