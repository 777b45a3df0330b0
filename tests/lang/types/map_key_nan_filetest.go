//go:build ignore

package main

import "math"

func main() {
	m := map[float64]int{}
	nan := math.NaN()
	m[nan] = 1
	m[nan] = 2
	m[0.0] = 3
	m[math.Copysign(0, -1)] = 4
	_, ok := m[nan]
	println(len(m), ok, m[0])
	delete(m, nan)
	println(len(m))
	clear(m)
	println(len(m))
}

// Stderr:
// 3 false 4
// 3
// 0
