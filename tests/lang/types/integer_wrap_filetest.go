//go:build ignore

package main

func main() {
	var u8 uint8 = 255
	var i8 int8 = 127
	var u16 uint16 = 0
	var i64 int64 = 1<<63 - 1
	u8++
	i8++
	u16--
	i64++
	println(u8, i8, u16, i64)
}

// Stderr:
// 0 -128 65535 -9223372036854775808
