//go:build ignore

package main

var a [-1]int

func main() { println(len(a)) }

// CompileError:
// array_negative_filetest.go:5:8: invalid array length -1 (untyped int constant)
