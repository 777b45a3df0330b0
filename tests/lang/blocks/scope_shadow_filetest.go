//go:build ignore

package main

var x = "package"

func main() {
	println(x)
	x := "function"
	{
		println(x)
		x := "block"
		println(x)
	}
	if x := "if"; true {
		println(x)
	} else {
		println("not", x)
	}
	println(x)
}

// Stderr:
// package
// function
// block
// if
// function
