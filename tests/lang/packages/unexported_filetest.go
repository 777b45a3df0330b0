//go:build ignore

package main

import "strings"

func main() {
	println(strings.indexFunc("a", nil, true))
	var b strings.Builder
	println(b.buf)
}

// CompileError:
// unexported_filetest.go:8:18: name indexFunc not exported by package strings
// unexported_filetest.go:10:12: b.buf undefined (cannot refer to unexported field buf)
