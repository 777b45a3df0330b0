//go:build ignore

package main

func main() {
	a, b := 1, 2.5
	println(a + b)
	println("a" + 'b')
	println(!a)
	println(a && true)
	var p *int
	println(p + 1)
}

// CompileError:
// op_mismatched_filetest.go:7:10: invalid operation: a + b (mismatched types int and float64)
// op_mismatched_filetest.go:8:10: invalid operation: "a" + 'b' (mismatched types untyped string and untyped rune)
// op_mismatched_filetest.go:9:11: invalid operation: operator ! not defined on a (variable of type int)
// op_mismatched_filetest.go:10:10: invalid operation: a && true (mismatched types int and untyped bool)
// op_mismatched_filetest.go:12:10: invalid operation: p + 1 (mismatched types *int and untyped int)
