//go:build ignore

package main

type (
	A1 = string
	B1 string
	B2 B1
	B3 []B1
	B4 B3
)

func main() {
	var a A1 = "x"
	var s string = a
	b := B2(B1(s))
	var c B4 = []B1{"y"}
	println(string(b), c[0])
}

// Stderr:
// x y
