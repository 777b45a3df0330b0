//go:build ignore

package main

func main() {
	x := 1
	x
	len("a")
	x + 1
}

// CompileError:
// expression_statement_bad_filetest.go:7:2: x (variable of type int) is not used
// expression_statement_bad_filetest.go:8:2: len("a") (constant 1 of type int) is not used
// expression_statement_bad_filetest.go:9:2: x + 1 (value of type int) is not used
