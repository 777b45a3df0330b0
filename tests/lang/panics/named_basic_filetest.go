//go:build ignore

package main

type Code int
type Name string

func main() {
	defer func() {
		recover()
		panic(Name("n"))
	}()
	panic(Code(3))
}

// Error:
// panic: main.Code(3) [recovered]
// 	panic: main.Name("n")
