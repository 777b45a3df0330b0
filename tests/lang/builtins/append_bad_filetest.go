//go:build ignore

package main

func main() {
	var s []int
	append(s, 1)
	s = append(s, "x")
	s = append(s, []int{1})
	s = append(1, 2)
	s = append(s, []string{}...)
}

// CompileError:
// append_bad_filetest.go:7:2: append(s, 1) (value of type []int) is not used
// append_bad_filetest.go:8:16: cannot use "x" (untyped string constant) as int value in argument to append
// append_bad_filetest.go:9:16: cannot use []int{…} (value of type []int) as int value in argument to append
// append_bad_filetest.go:10:13: invalid append: argument must be a slice; have 1 (untyped int constant)
// append_bad_filetest.go:11:16: cannot use []string{} (value of type []string) as []int value in argument to append
