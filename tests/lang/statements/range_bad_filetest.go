//go:build ignore

package main

func f(int) {}

func main() {
	for i := range 3.5 {
		println(i)
	}
	for a, b := range 5 {
		println(a, b)
	}
	for a := range f {
		println(a)
	}
	var c chan<- int
	for v := range c {
		println(v)
	}
}

// CompileError:
// range_bad_filetest.go:8:17: cannot range over 3.5 (untyped float constant)
// range_bad_filetest.go:11:9: range over 5 (untyped int constant) permits only one iteration variable
// range_bad_filetest.go:14:17: cannot range over f (value of type func(int)): func must be func(yield func(...) bool): argument is not func
// range_bad_filetest.go:18:17: cannot range over c (variable of type chan<- int): receive from send-only channel chan<- int
