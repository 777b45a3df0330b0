//go:build ignore

package main

func collatz(n int) (steps int) {
top:
	if n == 1 {
		return
	}
	steps++
	if n%2 == 0 {
		n /= 2
		goto top
	}
	n = 3*n + 1
	goto top
}

func main() { println(collatz(27), collatz(1)) }

// Gas: 805

// Stderr:
// 111 0
