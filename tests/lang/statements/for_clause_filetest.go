//go:build ignore

package main

func main() {
	for i, j := 0, 10; i < j; i, j = i+1, j-2 {
		print(i, j, " ")
	}
	n := 0
	for n < 3 {
		n++
	}
	for ; n < 5; n++ {
	}
	for {
		if n++; n > 7 {
			break
		}
	}
	println(n)
}

// Gas: 658

// Stderr:
// 010 18 26 34 8
