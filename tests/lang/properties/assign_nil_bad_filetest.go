//go:build ignore

package main

func main() {
	var i int = nil
	var s string = nil
	var a [2]int = nil
	println(i, s, a)
}

// CompileError:
// assign_nil_bad_filetest.go:6:14: cannot use nil as int value in variable declaration
// assign_nil_bad_filetest.go:7:17: cannot use nil as string value in variable declaration
// assign_nil_bad_filetest.go:8:17: cannot use nil as [2]int value in variable declaration
