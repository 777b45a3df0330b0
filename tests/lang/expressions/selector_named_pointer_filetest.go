//go:build ignore

package main

type T struct{}

func (*T) M() {}

type Q *T

func main() {
	var q Q
	q.M()
}

// CompileError:
// selector_named_pointer_filetest.go:13:4: q.M undefined (type Q has no field or method M)
