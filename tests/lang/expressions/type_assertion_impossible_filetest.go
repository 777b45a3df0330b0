//go:build ignore

package main

type I interface{ M() }
type T struct{}

func main() {
	var i I
	t := i.(T)
	n := 5
	s := n.(string)
	println(t, s)
}

// CompileError:
// type_assertion_impossible_filetest.go:10:7: impossible type assertion: i.(T)
// 	T does not implement I (missing method M)
// type_assertion_impossible_filetest.go:12:7: invalid operation: n (variable of type int) is not an interface
