//go:build ignore

package main

func main() {
	defer func() {
		e := recover().(error)
		println(e.Error())
	}()
	z := 0
	println(5 / z)
}

// Stderr:
// runtime error: integer divide by zero
