//go:build ignore

package main

func main() {
	func() {
		for i := 0; i < 3; i++ {
			defer func() { print(i, " ") }()
		}
	}()
	for i := range 2 {
		func() {
			defer print("end", i, " ")
			print("run", i, " ")
		}()
	}
	println()
}

// Stderr:
// \"2 1 0 run0 end0 run1 end1 "
