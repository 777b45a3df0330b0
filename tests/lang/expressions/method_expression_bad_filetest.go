//go:build ignore

package main

type T struct{}

func (*T) M() {}

func main() {
	f := T.M
	f(T{})
}

// CompileError:
// method_expression_bad_filetest.go:10:9: invalid method expression T.M (needs pointer receiver (*T).M)
