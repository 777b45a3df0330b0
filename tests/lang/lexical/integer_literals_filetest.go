//go:build ignore

package main

func main() {
	println(42, 4_2, 0600, 0_600, 0o600, 0o600)
	println(0xBadFace, 0xBad_Face, 0x_67_7a_2f_cc_40_c6)
	println(0b1011, 0b1_0, 170_141_183)
	const big = 170141183460469231731687303715884105727
	println(big >> 100)
}

// Stderr:
// 42 42 384 384 384 384
// 195951310 195951310 113774485586118
// 11 2 170141183
// 134217727
