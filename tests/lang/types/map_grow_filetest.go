//go:build ignore

package main

func main() {
	m := make(map[int]int, 4)
	for i := range 1000 {
		m[i*7919] = i
	}
	sum := 0
	for k, v := range m {
		sum += k/7919 - v + 1
	}
	for i := range 500 {
		delete(m, i*7919)
	}
	println(sum, len(m), m[999*7919])
}

// Gas: 581456
// Gas go1.27: 581456

// Stderr:
// 1000 500 999
