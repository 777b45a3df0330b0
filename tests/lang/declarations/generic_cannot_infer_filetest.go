//go:build ignore

package main

func New[T any]() *T { return new(T) }

func main() {
	p := New()
	println(p)
}

// CompileError:
// generic_cannot_infer_filetest.go:8:7: in call to New, cannot infer T (declared at generic_cannot_infer_filetest.go:5:10)
