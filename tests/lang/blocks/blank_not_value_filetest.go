//go:build ignore

package main

func main() {
	x := _
	println(x)
}

// CompileError:
// blank_not_value_filetest.go:6:7: cannot use _ as value or type
