//go:build ignore

package main

func main() {
	println(2+3*4, 2*3+4<<1, 1+2<<3, 7&3|8, 7&^2+1, 6^3&1)
	println(1 < 2 && 3 > 2 || false, !true == false, -2*3, ^1+1)
	println(20/3*3, 20%7*2, 100>>2>>1)
}

// Stderr:
// 14 14 17 11 6 7
// true true -6 -1
// 18 12 12
