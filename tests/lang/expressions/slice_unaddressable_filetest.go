//go:build ignore

package main

func f() [3]int { return [3]int{1, 2, 3} }

func main() {
	s := f()[:]
	println(s)
}

// CompileError:
// slice_unaddressable_filetest.go:8:7: cannot slice unaddressable value f() (value of type [3]int)
