//go:build ignore

package main

func main() {
	n := 0
outer:
	for i := range 4 {
		for j := range 4 {
			if j == 2 {
				continue outer
			}
			if i == 3 {
				break outer
			}
			n += 10*i + j
		}
	}
	println(n)
sw:
	switch n {
	default:
		for {
			break sw
		}
	}
}

// Gas: 166

// Stderr:
// 63
