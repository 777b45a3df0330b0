//go:build ignore

package main

func main() {
	a, b := 6, 3
	p := &b
	println(a & ^b, a&^b, a - -b, a / *p, a<<b>>1, !!(a > b), -(-a))
}

// Stderr:
// 4 4 9 2 24 true 6
