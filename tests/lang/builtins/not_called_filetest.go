//go:build ignore

package main

func main() {
	f := len
	x := append
	println(f, x)
}

// CompileError:
// not_called_filetest.go:6:7: len (built-in) must be called
// not_called_filetest.go:7:7: append (built-in) must be called
