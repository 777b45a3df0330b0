// Command mandelbrot computes the Mandelbrot set as a bitmap and prints a checksum
// of its bytes. The size is the width and height in points.
//
// Usage: mandelbrot [size]
package main

import (
	"fmt"
	"os"
	"strconv"
)

const limit, iterations = 4.0, 50

func row(y, n int, out []byte) {
	ci := 2*float64(y)/float64(n) - 1
	for xb := range out {
		bits := byte(0)
		for k := range 8 {
			x := xb*8 + k
			cr := 2*float64(x)/float64(n) - 1.5
			zr, zi, tr, ti := 0.0, 0.0, 0.0, 0.0
			i := 0
			for i < iterations && tr+ti <= limit {
				zi = 2*zr*zi + ci
				zr = tr - ti + cr
				tr = zr * zr
				ti = zi * zi
				i++
			}
			bits <<= 1
			if i == iterations && x < n {
				bits |= 1
			}
		}
		out[xb] = bits
	}
}

func main() {
	n := size(1000)
	out := make([]byte, (n+7)/8)
	sum := uint64(0)
	for y := range n {
		row(y, n, out)
		for _, b := range out {
			sum = sum*31 + uint64(b)
		}
	}
	fmt.Printf("%dx%d %016x\n", n, n, sum)
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
