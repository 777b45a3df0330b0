//go:build ignore

package main

func f() {
	var d func()
	defer d()
	println("f goes on")
}

func main() {
	defer func() { println(recover() != nil) }()
	f()
}

// Stderr:
// f goes on
// true
