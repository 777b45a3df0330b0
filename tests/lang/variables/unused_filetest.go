//go:build ignore

package main

func main() {
	x := 1
	y := 2
	x = 3
	println(y)
}

// CompileError:
// unused_filetest.go:6:2: declared and not used: x
