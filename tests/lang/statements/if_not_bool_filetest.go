//go:build ignore

package main

func main() {
	if 1 {
	}
	if x := 5; x {
	}
	for "a" {
	}
}

// CompileError:
// if_not_bool_filetest.go:6:5: non-boolean condition in if statement
// if_not_bool_filetest.go:8:13: non-boolean condition in if statement
// if_not_bool_filetest.go:10:6: non-boolean condition in for statement
