//go:build ignore

package main

import "fmt"

func main() {
	fmt.Printf("%T %T %T %T %T %T\n", 1, 'a', 1.0, 1i, "s", true)
	const c = 'a' + 1.0
	const d = 1 + 0i
	fmt.Printf("%T %v %T %v\n", c, c, d, d)
}

// Output:
// int int32 float64 complex128 string bool
// float64 98 complex128 (1+0i)
