//go:build ignore

package main

const a int8 = 100

func main() {
	const b = a * 2
	println(b)
}

// CompileError:
// constant_expression_typed_filetest.go:8:12: a * 2 (constant 200 of type int8) overflows int8
