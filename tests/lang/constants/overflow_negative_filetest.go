//go:build ignore

package main

func main() {
	var u uint = -1
	var i int8 = 127 + 1
	println(u, i)
}

// CompileError:
// overflow_negative_filetest.go:6:15: cannot use -1 (untyped int constant) as uint value in variable declaration (overflows)
// overflow_negative_filetest.go:7:15: cannot use 127 + 1 (untyped int constant 128) as int8 value in variable declaration (overflows)
