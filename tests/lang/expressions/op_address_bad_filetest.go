//go:build ignore

package main

func f() int { return 1 }

func main() {
	a := &f()
	b := &5
	c := &f
	println(a, b, c)
}

// CompileError:
// op_address_bad_filetest.go:8:8: invalid operation: cannot take address of f() (value of type int)
// op_address_bad_filetest.go:9:8: invalid operation: cannot take address of 5 (untyped int constant)
// op_address_bad_filetest.go:10:8: invalid operation: cannot take address of f (value of type func() int)
