//go:build ignore

package main

type T struct {
	a int
	a string
}

type E struct {
	T
	*T
}

func main() {}

// CompileError:
// struct_duplicate_field_filetest.go:7:2: a redeclared
// 	struct_duplicate_field_filetest.go:6:2: other declaration of a
// struct_duplicate_field_filetest.go:12:3: T redeclared
// 	struct_duplicate_field_filetest.go:11:2: other declaration of T
