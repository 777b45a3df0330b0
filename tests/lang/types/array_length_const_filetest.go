//go:build ignore

package main

const n = 2

func main() {
	var m int = 3
	var a [n * 2]int
	var b [m]int
	println(len(a), len(b))
}

// CompileError:
// array_length_const_filetest.go:8:6: declared and not used: m
// array_length_const_filetest.go:10:9: invalid array length m
