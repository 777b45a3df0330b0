//go:build ignore

package main

type T struct{ n int }

func main() {
	t := T{1}
	if t == (T{1}) {
		println("equal")
	}
	for _, x := range []T{{1}, {2}} {
		print(x.n)
	}
	println()
	switch (T{2}) {
	case T{2}:
		println("two")
	}
}

// Stderr:
// equal
// 12
// two
