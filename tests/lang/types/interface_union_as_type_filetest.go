//go:build ignore

package main

type Number interface{ ~int | ~float64 }

func main() {
	var n Number
	println(n)
}

// CompileError:
// interface_union_as_type_filetest.go:8:8: cannot use type Number outside a type constraint: interface contains type constraints
