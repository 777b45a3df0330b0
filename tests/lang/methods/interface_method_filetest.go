//go:build go1.27

// Interfaces have no generic methods.
package main

type I interface {
	M[P any](P)
}

func main() {}

// CompileError:
// interface_method_filetest.go:7:3: syntax error: interface method must have no type parameters
