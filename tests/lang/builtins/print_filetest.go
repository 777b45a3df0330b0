//go:build ignore

package main

type T struct{ n int }

func main() {
	println()
	println(1, -1, uint8(255), 'a', true, "s", 1.5, float32(2), 1+2i, -0.001)
	print("a", 1, "b", false, "\n")
	println(int64(-1<<63), uint64(1<<64-1), 1e100, 3e-5)
	println("tab\there", "nul\x00", "日")
	println(0.0, 1e6, 123456789.0, -1e-300)
}

// Stderr:
//
// 1 -1 255 97 true s 1.5 2 (1+2i) -0.001
// a1bfalse
// -9223372036854775808 18446744073709551615 1e+100 3e-05
// \"tab\there nul\x00 日"
// 0 1e+06 1.23456789e+08 -1e-300
