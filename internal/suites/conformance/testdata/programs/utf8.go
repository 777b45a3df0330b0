// utf8.Valid and ValidString of long texts, which a kernel of the host validates: every pair of bytes, and
// runes of all lengths at their limits, at all places of a block.
package main

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

func main() {
	text := bytes.Repeat([]byte("x"), 100)
	count := 0
	try := func(at int, b ...byte) {
		was := append([]byte(nil), text[at:at+len(b)]...)
		copy(text[at:], b)
		v := utf8.Valid(text)
		if v != utf8.ValidString(string(text)) {
			fmt.Println("differ:", at, b)
		}
		if short := utf8.Valid(b); v != short {
			fmt.Println("alone", short, "in a text", v, at, b)
		}
		if v {
			count++
		}
		copy(text[at:], was)
	}
	for x := range 256 {
		for y := range 256 {
			try(15, byte(x), byte(y))
			try(98, byte(x), byte(y))
		}
	}
	fmt.Println("pairs:", count)
	bounds := []byte{0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff}
	count = 0
	for _, first := range []byte{0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff} {
		for _, y := range bounds {
			for _, z := range bounds {
				try(14, first, y, z)
				for i, w := range bounds {
					try(10+i, first, y, z, w)
				}
			}
		}
	}
	fmt.Println("longer:", count)
	for n := range 120 {
		s := string(bytes.Repeat([]byte("ä€😀"), 20)[:n])
		if utf8.ValidString(s) {
			fmt.Print(n, " ")
		}
	}
	fmt.Println()
}
