// Numbers that are put together from bytes and taken apart, with things between that a
// single load or store must not be moved over.
package main

import (
	"encoding/binary"
	"fmt"
)

var sink byte

//go:noinline
func storeBetween(b []byte, i int) uint32 {
	x := uint32(b[i+3])
	x |= uint32(b[i+2]) << 8
	b[i+3] = 200
	x |= uint32(b[i+1]) << 16
	x |= uint32(b[i]) << 24
	return x
}

//go:noinline
func storeElsewhere(b, c []byte) uint32 {
	x := uint32(b[0])
	c[1] = 77 // b[1] perhaps
	return x | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

//go:noinline
func callBetween(b []byte, f func()) uint16 {
	x := uint16(b[0])
	f()
	return x | uint16(b[1])<<8
}

//go:noinline
func partly(b []byte, h uint64) uint64 {
	return h + uint64(b[1])<<8 + uint64(b[0]) + uint64(b[2])<<16 + uint64(b[3])<<24 + uint64(b[5])<<40
}

//go:noinline
func twice(b []byte) uint16 { return uint16(b[0]) + uint16(b[0])<<8 + uint16(b[1])<<8 }

//go:noinline
func signed(b []byte) int32 { return int32(b[2])<<8 | int32(int8(b[3]))<<16 | int32(b[1]) }

//go:noinline
func halves(b []byte) (uint64, uint64) {
	lo := uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[4:]))<<32
	hi := uint64(binary.BigEndian.Uint32(b))<<32 | uint64(binary.BigEndian.Uint32(b[4:]))
	return lo, hi
}

//go:noinline
func apart(b []byte, x uint64, i int) {
	b = b[i : i+12]
	b[0], b[1], b[2], b[3] = byte(x>>56), byte(x>>48), byte(x>>40), byte(x>>32)
	b[7], b[6], b[5], b[4] = byte(x), byte(x>>8), byte(x>>16), byte(x>>24)
	b[8] = byte(x >> 32)
	b[9] = byte(x >> 40)
	b[10] = byte(uint16(x) >> 8)
	b[11] = byte(x)
}

//go:noinline
func overwritten(b []byte, x uint32) byte {
	b[0] = byte(x)
	b[1] = byte(x >> 8)
	b[1] = 9
	y := b[2]
	b[2] = byte(x >> 16)
	b[3] = byte(x >> 24)
	return y
}

//go:noinline
func readBetween(b, c []byte, x uint16) byte {
	b[0] = byte(x)
	y := c[0]
	b[1] = byte(x >> 8)
	return y
}

//go:noinline
func checkBetween(b []byte, x uint32, i int) (err any) {
	defer func() { err = recover() }()
	b[0] = byte(x)
	b[1] = byte(x >> 8)
	sink = b[i]
	b[2] = byte(x >> 16)
	b[3] = byte(x >> 24)
	return nil
}

type packed struct {
	a, b uint8
	c    uint16
	d    int32
	e    bool
}

//go:noinline
func constants(p *packed) { *p = packed{1, 2, 0xabcd, -5, true} }

func main() {
	b := make([]byte, 24)
	fill := func() {
		for i := range b {
			b[i] = byte(37*i + 11)
		}
	}
	fill()
	for i := range 5 {
		fmt.Println(storeBetween(b, i), b)
	}
	fmt.Println(storeElsewhere(b, b), storeElsewhere(b, b[1:]), b[:4])
	fmt.Println(callBetween(b, func() { b[0], b[1] = 1, 2 }), callBetween(b, func() {}))
	fmt.Println(partly(b, 1<<63+5), twice(b), signed(b), signed(b[7:]))
	fmt.Println(halves(b))
	for i := range 4 {
		fill()
		apart(b, 0x8182838485868788, i*3)
		fmt.Println(b)
	}
	fill()
	fmt.Println(overwritten(b, 0xa1b2c3d4), readBetween(b, b[1:], 0x1122), readBetween(b, b, 0x3344), b[:5])
	fill()
	fmt.Println(checkBetween(b, 0x01020304, 99), b[:5], checkBetween(b, 0x05060708, 1), sink, b[:5])
	var p packed
	constants(&p)
	fmt.Println(p)
}
