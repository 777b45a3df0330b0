//go:build ignore

package main

type I interface{ M() }
type T struct{}

func (t *T) M() {}

func main() {
	var i I = T{}
	i.M()
}

// CompileError:
// interface_value_receiver_filetest.go:11:12: cannot use T{} (value of struct type T) as I value in variable declaration: T does not implement I (method M has pointer receiver)
