// Command matmul multiplies two matrices and prints a checksum. The size is the
// number of rows.
//
// Usage: matmul [size]
package main

import (
	"fmt"
	"os"
	"strconv"
)

func matrix(n int, seed float64) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range m[i] {
			m[i][j] = seed * float64((i-j)*(i+j)%17)
		}
	}
	return m
}

func multiply(a, b [][]float64) [][]float64 {
	n := len(a)
	c := make([][]float64, n)
	for i := range c {
		c[i] = make([]float64, n)
		for j := range n {
			sum := 0.0
			for k := range n {
				sum += a[i][k] * b[k][j]
			}
			c[i][j] = sum
		}
	}
	return c
}

func main() {
	n := size(300)
	c := multiply(matrix(n, 1), matrix(n, 0.5))
	sum := 0.0
	for i := range c {
		for j, x := range c[i] {
			sum += x * float64(i^j)
		}
	}
	fmt.Printf("%.3f\n", sum)
}

// size returns the first argument, or def.
func size(def int) int {
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			return n
		}
	}
	return def
}
