//go:build ignore

package main

const (
	bit0, mask0 = 1 << iota, 1<<iota - 1
	bit1, mask1
	_, _
	bit3, mask3
)

func main() { println(bit0, mask0, bit1, mask1, bit3, mask3) }

// Stderr:
// 1 0 2 1 8 7
