//go:build ignore

package main

func main() {
	var u8 uint8 = 200
	var i8 int8 = -128
	s := 9
	println(u8<<1, u8>>3, i8>>1, i8>>s, u8<<s, -1>>s, uint32(1)<<31>>s)
	var big uint = 100
	println(1<<big == 0, int64(-5)>>big, uint64(5)>>big)
}

// Gas: 631

// Stderr:
// 144 25 -64 -1 0 -1 4194304
// true -1 0
