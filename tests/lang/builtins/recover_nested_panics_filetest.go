//go:build ignore

package main

func main() {
	defer func() { println("main", recover().(string)) }()
	defer func() {
		defer func() { println("inner", recover().(string)) }()
		panic("second")
	}()
	defer func() {
		println("replaced", recover().(string))
		panic("third")
	}()
	panic("first")
}

// Stderr:
// replaced first
// inner second
// main third
