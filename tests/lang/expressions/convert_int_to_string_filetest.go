//go:build ignore

package main

func main() {
	type MyInt int
	println(string(MyInt(0x65)), string('x'), string(rune(0x10ffff+1)))
	r := []rune("a\xffb")
	println(len(r), r[1] == 0xfffd)
}

// Stderr:
// e x �
// 3 true
