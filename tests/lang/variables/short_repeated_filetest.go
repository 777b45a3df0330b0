//go:build ignore

package main

func main() {
	x, y, x := 1, 2, 3
	println(x, y)
}

// CompileError:
// short_repeated_filetest.go:6:8: x repeated on left side of :=
