//go:build ignore

package main

func main() {
	const a = uint8(^1)
	println(a)
}

// CompileError:
// complement_overflow_filetest.go:6:18: constant -2 overflows uint8
