//go:build ignore

package main

var a = b
var b = f()

func f() int { return a }

func main() {}

// CompileError:
// cycle_filetest.go:5:5: initialization cycle for a
// 	cycle_filetest.go:5:5: a refers to b
// 	cycle_filetest.go:6:5: b refers to f
// 	cycle_filetest.go:8:6: f refers to a
