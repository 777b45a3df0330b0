//go:build ignore

package main

func main() {
unused:
	for {
		break
	}
}

// CompileError:
// label_unused_filetest.go:6:1: label unused defined and not used
