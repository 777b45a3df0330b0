//go:build ignore

package main

func main() {
	var x any = int8(3)
	switch x {
	case 3:
		println("int")
	case "3":
		println("string")
	case int8(3):
		println("int8")
	}
	var e error
	switch e {
	case nil:
		println("nil")
	}
}

// Stderr:
// int8
// nil
