//go:build ignore

package main

func main() {
	goto L
	v := 3
	println(v)
L:
	println("L")
}

// CompileError:
// goto_over_declaration_filetest.go:6:7: goto L jumps over variable declaration at line 7
