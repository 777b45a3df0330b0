//go:build ignore

package main

func f() int {
	return /*
	 */1
}

func main() { println(f()) }

// CompileError:
// general_comment_newline_filetest.go:6:2: not enough return values
// 	have ()
// 	want (int)
// general_comment_newline_filetest.go:7:5: 1 (untyped int constant) is not used
// general_comment_newline_filetest.go:8:1: missing return
