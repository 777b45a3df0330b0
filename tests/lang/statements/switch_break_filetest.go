//go:build ignore

package main

func main() {
	for i := range 5 {
		switch {
		case i == 1:
			continue
		case i == 3:
			break
		default:
			if i == 2 {
				break
			}
			print(i, " ")
		}
		print("after ")
	}
	println()
}

// Stderr:
// \"0 after after after 4 after "
