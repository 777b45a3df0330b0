//go:build ignore

package main

func main() {
	const a = ^1
	const b = uint8(^1 & 0xff)
	const c = ^uint8(1)
	println(a, b, c, ^int8(0))
}

// Stderr:
// -2 254 254 -1
