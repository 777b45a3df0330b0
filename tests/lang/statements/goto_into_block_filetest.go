//go:build ignore

package main

func main() {
	n := 1
	if n%2 == 1 {
		goto L1
	}
	for n > 0 {
		n--
	L1:
		n--
	}
}

// CompileError:
// goto_into_block_filetest.go:8:8: goto L1 jumps into block
