//go:build ignore

package main

func main() {
	a := [3]int{}
	i := -1
	a[i]++
}

// Error:
// panic: runtime error: index out of range [-1]
