//go:build ignore

package main

func main() {
	a, b := 0b1100, 0b1010
	println(a&b, a|b, a^b, a&^b, ^a)
	var u uint16 = 0xf0f0
	u &^= 0x00f0
	u |= 5
	u ^= 1
	println(u, ^u)
}

// Gas: 501

// Stderr:
// 8 14 6 4 -13
// 61444 4091
