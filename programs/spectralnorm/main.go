// Command spectralnorm estimates the spectral norm of an infinite matrix by the
// power method on its leading part. The size is the number of rows.
//
// Usage: spectralnorm [size]
package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
)

func element(i, j int) float64 { return 1 / float64((i+j)*(i+j+1)/2+i+1) }

func mulAv(v, av []float64) {
	for i := range av {
		sum := 0.0
		for j, x := range v {
			sum += element(i, j) * x
		}
		av[i] = sum
	}
}

func mulAtv(v, atv []float64) {
	for i := range atv {
		sum := 0.0
		for j, x := range v {
			sum += element(j, i) * x
		}
		atv[i] = sum
	}
}

func main() {
	n := size(500)
	u, v, t := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range u {
		u[i] = 1
	}
	for range 10 {
		mulAv(u, t)
		mulAtv(t, v)
		mulAv(v, t)
		mulAtv(t, u)
	}
	var vbv, vv float64
	for i := range u {
		vbv += u[i] * v[i]
		vv += v[i] * v[i]
	}
	fmt.Printf("%.9f\n", math.Sqrt(vbv/vv))
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
