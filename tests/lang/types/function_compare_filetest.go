//go:build ignore

package main

func main() {
	f, g := func() {}, func() {}
	println(f == g)
}

// CompileError:
// function_compare_filetest.go:7:10: invalid operation: f == g (func can only be compared to nil)
