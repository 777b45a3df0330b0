//go:build ignore

package main

func main() {
	var f float32 = 1.5
	var c complex64
	var u uint8
	m := map[string]int{}
	f++
	c++
	u--
	m["x"]++
	p := &m
	(*p)["x"]++
	println(f == 2.5, real(c) == 1, u, m["x"])
}

// Stderr:
// true true 255 2
