//go:build ignore

package main

func main() {
	var i int = 1
	var j int64 = i
	println(j)
}

// CompileError:
// int_not_int64_filetest.go:7:16: cannot use i (variable of type int) as int64 value in variable declaration
