//go:build ignore

package main

func main() {
	var f func(int) int
	println(f(1))
}

// Error:
// panic: runtime error: invalid memory address or nil pointer dereference
// [signal SIGSEGV: segmentation violation code=0x1 addr=0x0]
