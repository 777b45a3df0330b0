//go:build ignore

package main

func main() {
	for i := range 3 {
		i += 10
		print(i, " ")
	}
	var n uint8 = 4
	for i := range n {
		n = 1
		print(i, " ")
	}
	for range 2 {
		print("x")
	}
	for i := range -1 {
		println("never", i)
	}
	const c = 2
	for i := range c {
		print(i)
	}
	println()
}

// Gas: 1187

// Stderr:
// 10 11 12 0 1 2 3 xx01
