//go:build ignore

package main

func seq(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func main() {
outer:
	for i := range seq(5) {
		for j := range seq(5) {
			switch {
			case j == 3:
				continue outer
			case i == 2:
				break outer
			}
			print(i, j, " ")
		}
	}
	println()
	for i := range seq(3) {
		defer println("deferred", i)
	}
}

// Gas: 1831

// Stderr:
// \"00 01 02 10 11 12 "
// deferred 2
// deferred 1
// deferred 0
