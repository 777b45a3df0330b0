//go:build ignore

package main

type Pair[K comparable, V any] struct {
	k K
	v V
}

func main() {
	var p Pair
	var q Pair[string]
	println(p, q)
}

// CompileError:
// generic_not_instantiated_filetest.go:11:8: cannot use generic type Pair[K comparable, V any] without instantiation
// generic_not_instantiated_filetest.go:12:8: not enough type arguments for type Pair: have 1, want 2
