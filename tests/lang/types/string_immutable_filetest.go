//go:build ignore

package main

func main() {
	s := "abc"
	s[0] = 'x'
}

// CompileError:
// string_immutable_filetest.go:7:2: cannot assign to s[0] (neither addressable nor a map index expression)
