//go:build ignore

package main

func f() int { return 1 }

const c = f()

func main() { println(c) }

// CompileError:
// not_constant_filetest.go:7:11: f() (value of type int) is not constant
