//go:build ignore

package main

var a int
var a string

func f(x int) {
	var x int
}

func main() {}

// CompileError:
// redeclared_filetest.go:6:5: a redeclared in this block
// 	redeclared_filetest.go:5:5: other declaration of a
// redeclared_filetest.go:9:6: x redeclared in this block
// 	redeclared_filetest.go:8:8: other declaration of x
