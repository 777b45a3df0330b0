//go:build ignore

package main

func main() {
	for i := range 4 {
		defer print(i, " ")
	}
	defer func() { print("first ") }()
	println("body")
}

// Gas: 889

// Stderr:
// body
// \"first 3 2 1 0 "
// \
