//go:build ignore

package main

func main() {
	var b byte = 'ä' + 100
	var f int = 1e-1
	var g float32 = 1e100
	println(b, f, g)
}

// CompileError:
// representable_bad_filetest.go:6:15: cannot use 'ä' + 100 (untyped rune constant 328) as byte value in variable declaration (overflows)
// representable_bad_filetest.go:7:14: cannot use 1e-1 (untyped float constant 0.1) as int value in variable declaration (truncated)
// representable_bad_filetest.go:8:18: cannot use 1e100 (untyped float constant 1e+100) as float32 value in variable declaration (overflows)
