//go:build ignore

package main

func divmod(a, b int) (q, r int) {
	q = a / b
	r = a % b
	return
}

func pass(a, b int) int { return a*10 + b }

func main() {
	q, r := divmod(17, 5)
	println(q, r, pass(divmod(29, 10)))
}

// Gas: 230

// Stderr:
// 3 2 29
