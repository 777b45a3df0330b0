//go:build ignore

package main

func swap(a, b *int) { *a, *b = *b, *a }

func main() {
	x, y := 1, 2
	swap(&x, &y)
	println(x, y)
	p := &x
	pp := &p
	**pp = 7
	*pp = &y
	*p++
	println(x, y)
}

// Gas: 335

// Stderr:
// 2 1
// 7 2
