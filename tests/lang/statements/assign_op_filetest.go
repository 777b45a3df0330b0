//go:build ignore

package main

func main() {
	x := 10
	x += 5
	x -= 3
	x *= 4
	x /= 5
	x %= 6
	x <<= 4
	x >>= 1
	x |= 3
	x &= 0x1b
	x ^= 1
	x &^= 2
	println(x)
	i := 0
	a := []int{1, 2}
	next := func() int { i++; return i - 1 }
	a[next()] += 10
	println(a[0], a[1], i)
}

// Gas: 359

// Stderr:
// 24
// 11 2 1
