//go:build ignore

package main

import "math/bits"

// A number below three may be one or two: that it is at most two does not say which of its
// bits may be set. The masks have holes below the bound, and meet it at its highest bit.

//go:noinline
func remainders(x uint64, y uint32, z uint16, w uint8) {
	println(x%3&2, x%6&5, x%3&^1, x%3&3, x%100&96, x%(1<<40+1)>>1&(1<<39))
	println(y%5&^3, y%7&6, z%10&9, z%1000&999, w%10&9, w%200&199)
	println(x%3|2, x%6^5, y%5<<1&6)
}

//go:noinline
func counts(x uint64, y uint32, z uint16, w uint8) {
	println(bits.OnesCount64(x)&^1, bits.TrailingZeros64(x)&64, bits.LeadingZeros64(x)&64)
	println(bits.OnesCount32(y)&^1, bits.TrailingZeros32(y)&32, bits.LeadingZeros32(y)&32)
	println(bits.OnesCount16(z)&^1, bits.TrailingZeros16(z)&16, bits.LeadingZeros16(z)&16)
	println(bits.OnesCount8(w)&^1, bits.TrailingZeros8(w)&8, bits.LeadingZeros8(w)&8)
	println(bits.Len64(x)&64, bits.Len8(w)&8)
}

func main() {
	for _, x := range []uint64{0, 1, 3, 4, 6, 7, 8, 31, 99, 1<<40 - 1, 1<<64 - 1} {
		remainders(x, uint32(x), uint16(x), uint8(x))
		counts(x, uint32(x), uint16(x), uint8(x))
	}
}

// Stderr:
// 0 0 0 0 0 0
// 0 0 0 0 0 0
// 2 5 0
// 0 64 64
// 0 32 32
// 0 16 16
// 0 8 8
// 0 0
// 0 1 0 1 0 0
// 0 0 1 1 1 1
// 3 4 2
// 0 0 0
// 0 0 0
// 0 0 0
// 0 0 0
// 0 0
// 0 1 0 0 0 0
// 0 2 1 3 1 3
// 2 6 6
// 2 0 0
// 2 0 0
// 2 0 0
// 2 0 0
// 0 0
// 0 4 0 1 0 0
// 4 4 0 4 0 4
// 3 1 0
// 0 0 0
// 0 0 0
// 0 0 0
// 0 0 0
// 0 0
// 0 0 0 0 0 0
// 0 6 0 6 0 6
// 2 5 2
// 2 0 0
// 2 0 0
// 2 0 0
// 2 0 0
// 0 0
// 0 1 0 1 0 0
// 0 0 1 7 1 7
// 3 4 4
// 2 0 0
// 2 0 0
// 2 0 0
// 2 0 0
// 0 0
// 2 0 2 2 0 0
// 0 0 8 0 8 0
// 2 7 6
// 0 0 0
// 0 0 0
// 0 0 0
// 0 0 0
// 0 0
// 0 1 0 1 0 0
// 0 2 1 7 1 7
// 3 4 2
// 4 0 0
// 4 0 0
// 4 0 0
// 4 0 0
// 0 0
// 0 1 0 0 96 0
// 4 0 9 99 9 67
// 2 6 0
// 4 0 0
// 4 0 0
// 4 0 0
// 4 0 0
// 0 0
// 0 1 0 0 64 0
// 0 2 1 519 1 7
// 2 6 0
// 40 0 0
// 32 0 0
// 16 0 0
// 8 0 0
// 0 8
// 0 1 0 0 0 0
// 0 2 1 519 1 7
// 2 6 0
// 64 0 0
// 32 0 0
// 16 0 0
// 8 0 0
// 64 8
