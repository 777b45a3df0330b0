//go:build ignore

package main

type A struct{}

func (A) M() {}

type B A

func main() { B{}.M() }

// CompileError:
// type_definition_no_methods_filetest.go:11:19: B{}.M undefined (type B has no field or method M)
