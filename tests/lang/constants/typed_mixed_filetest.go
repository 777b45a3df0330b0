//go:build ignore

package main

func main() {
	const a int32 = 1
	const b int64 = 2
	println(a + b)
}

// CompileError:
// typed_mixed_filetest.go:8:10: invalid operation: a + b (mismatched types int32 and int64)
