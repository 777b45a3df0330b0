//go:build ignore

package main

func main() {
	f := 3.99
	n := -7
	println(int(f), int(-f), uint8(n), int8(200+n), uint32(n), float64(n) == -7)
	big := int64(1) << 40
	println(int32(big+5), int16(70000-n), float32(16777217) == 16777216)
	var u uint64 = 1<<63 + 1
	println(int64(u), uint8(u))
}

// Gas: 893

// Stderr:
// 3 -3 249 -63 4294967289 true
// 5 4471 true
// -9223372036854775807 1
