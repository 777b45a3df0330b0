//go:build ignore

package main

const c = 1

func main() {
	c = 2
	"a" = "b"
	f() = 1
	nil = nil
	x, y := 1
	println(x, y)
}

func f() int { return 1 }

// CompileError:
// assign_bad_filetest.go:8:2: cannot assign to c (neither addressable nor a map index expression)
// assign_bad_filetest.go:9:2: cannot assign to "a" (neither addressable nor a map index expression)
// assign_bad_filetest.go:10:2: cannot assign to f() (neither addressable nor a map index expression)
// assign_bad_filetest.go:11:2: cannot assign to nil (neither addressable nor a map index expression)
// assign_bad_filetest.go:12:10: assignment mismatch: 2 variables but 1 value
