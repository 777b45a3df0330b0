//go:build ignore && go1.27

// A generic method is no value until it is instantiated.
package main

type T struct{}

func (T) M[P any](P)    {}
func (T) N[A, B any](A) {}

func main() {
	var t T
	_ = t.M
	_ = T.M
	x := t.M
	_ = x
	var y any = t.M
	_ = y
	_ = t.M == nil
	_ = t.N[int]
	_ = []any{t.M[int], t.M}
	var _ func(int) = t.M
}

// CompileError:
// not_instantiated_filetest.go:13:6: cannot use generic function t.M without instantiation
// not_instantiated_filetest.go:14:6: cannot use generic function T.M without instantiation
// not_instantiated_filetest.go:15:7: cannot use generic function t.M without instantiation
// not_instantiated_filetest.go:17:14: cannot use generic function t.M without instantiation
// not_instantiated_filetest.go:19:6: cannot use generic function t.M without instantiation
// not_instantiated_filetest.go:20:6: cannot infer B (declared at not_instantiated_filetest.go:9:15)
// not_instantiated_filetest.go:21:22: cannot use generic function t.M without instantiation
