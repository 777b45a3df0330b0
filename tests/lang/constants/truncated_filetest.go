//go:build ignore

package main

func main() {
	var i int = 3.5
	println(i)
}

// CompileError:
// truncated_filetest.go:6:14: cannot use 3.5 (untyped float constant) as int value in variable declaration (truncated)
