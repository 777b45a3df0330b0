//go:build ignore

package main

func main() {
	var u uint
	var f float32
	var g float64
	println(complex(1, u))
	println(complex(f, g))
	println(real("a"))
}

// CompileError:
// complex_bad_filetest.go:9:18: invalid argument: arguments have type uint, expected floating-point
// complex_bad_filetest.go:10:18: invalid operation: complex(f, g) (mismatched types float32 and float64)
// complex_bad_filetest.go:11:15: invalid argument: argument has type untyped string, expected complex type
