//go:build ignore

package main

func main() {
	var n = nil
	println(n)
}

// CompileError:
// nil_needs_type_filetest.go:6:10: use of untyped nil in variable declaration
