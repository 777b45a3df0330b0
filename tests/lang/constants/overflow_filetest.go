//go:build ignore

package main

func main() {
	var b byte = 256
	println(b)
}

// CompileError:
// overflow_filetest.go:6:15: cannot use 256 (untyped int constant) as byte value in variable declaration (overflows)
