//go:build ignore

package main

import "fmt"

func main() {
	var b byte = 'x'
	var u uint8 = b
	var r rune = '世'
	var i int32 = r
	fmt.Printf("%T %T %d %d\n", b, r, u, i)
}

// Output:
// uint8 int32 120 19990
