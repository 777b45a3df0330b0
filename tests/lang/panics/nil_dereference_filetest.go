//go:build ignore

package main

type T struct {
	a [10]int
	n int
}

func main() {
	var p *T
	println(p.n)
}

// Error:
// panic: runtime error: invalid memory address or nil pointer dereference
// [signal SIGSEGV: segmentation violation code=0x1 addr=0x0]
