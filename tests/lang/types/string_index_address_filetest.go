//go:build ignore

package main

func main() {
	s := "abc"
	p := &s[1]
	println(p)
}

// CompileError:
// string_index_address_filetest.go:7:8: invalid operation: cannot take address of s[1] (value of type byte)
