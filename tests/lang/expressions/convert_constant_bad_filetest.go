//go:build ignore

package main

func main() {
	println(int8(200))
	println(uint(-1))
	println(int(3.5))
	println(string(1.5))
}

// CompileError:
// convert_constant_bad_filetest.go:6:15: constant 200 overflows int8
// convert_constant_bad_filetest.go:7:15: constant -1 overflows uint
// convert_constant_bad_filetest.go:8:14: cannot convert 3.5 (untyped float constant) to type int
// convert_constant_bad_filetest.go:9:17: cannot convert 1.5 (untyped float constant) to type string
