//go:build ignore

package main

func main() {
	x := iota
	println(x)
}

// CompileError:
// iota_outside_filetest.go:6:7: cannot use iota outside constant declaration
