// Growing passes objects that nobody else has, in registers and in memory, to functions whose stack grows.
package main

type node struct{ v, w int }

var last, last2 *node

//go:noinline
func fresh(v int) *node { return &node{v, v * 3} }

// The last parameters are in memory, and nobody else has what they point to.
//
//go:noinline
func deep(n, a, b, c, d, e, f, g, h, i, j, k int, p, q *node) int {
	if n < 0 {
		last, last2 = p, q
	}
	if n == 0 {
		return p.v + q.w
	}
	x := deep(n-1, a+1, b, c, d, e, f, g, h, i, j, k, fresh(n), fresh(-n))
	return x + p.v*3 + q.w + a + b + c + d + e + f + g + h + i + j + k
}

func main() {
	done := make(chan int)
	for n := range 3 {
		go func() { done <- deep(100*(n+7), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, fresh(1), fresh(2)) }()
		println(<-done)
	}
}
