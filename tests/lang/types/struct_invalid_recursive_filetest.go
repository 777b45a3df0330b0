//go:build ignore

package main

type A struct{ b B }
type B struct{ a [1]A }

func main() {}

// CompileError:
// struct_invalid_recursive_filetest.go:5:6: invalid recursive type A
// 	struct_invalid_recursive_filetest.go:5:6: A refers to B
// 	struct_invalid_recursive_filetest.go:6:6: B refers to A
