//go:build ignore

package main

func main() {
	a := [3]int{1, 2, 3}
	for i, v := range a {
		a[2] = 10
		print(i, v, " ")
	}
	for i, v := range &a {
		a[2] = 20
		print(i, v, " ")
	}
	var p *[5]int
	for i := range p {
		print(i)
	}
	println()
}

// Stderr:
// 01 12 23 01 12 220 01234
