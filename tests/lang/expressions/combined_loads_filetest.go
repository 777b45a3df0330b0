//go:build ignore

package main

// One number is put together of bytes in two steps, one of numbers that were
// themselves put together: both halves are loads that no line of the source has.

func two(b []byte) uint64 {
	lo := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
	hi := uint32(b[4]) | uint32(b[5])<<8 | uint32(b[6])<<16 | uint32(b[7])<<24
	return uint64(lo) | uint64(hi)<<32
}

func four(b []byte) uint64 {
	w := func(i int) uint32 { return uint32(b[i]) | uint32(b[i+1])<<8 }
	return uint64(w(0)|w(2)<<16) | uint64(w(4)|w(6)<<16)<<32
}

func big(b []byte) uint64 {
	hi := uint32(b[3]) | uint32(b[2])<<8 | uint32(b[1])<<16 | uint32(b[0])<<24
	lo := uint32(b[7]) | uint32(b[6])<<8 | uint32(b[5])<<16 | uint32(b[4])<<24
	return uint64(lo) | uint64(hi)<<32
}

func sum(b []byte) (uint32, uint64) {
	lo := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
	hi := uint32(b[4]) | uint32(b[5])<<8 | uint32(b[6])<<16 | uint32(b[7])<<24
	return lo, uint64(lo) + uint64(hi)<<32
}

func main() {
	b := []byte{0x7a, 0x29, 3, 0, 5, 6, 7, 8}
	println(two(b), four(b), big(b))
	println(sum(b))
}

// Stderr:
// 578437695685208442 578437695685208442 8802570245291509512
// 207226 578437695685208442
