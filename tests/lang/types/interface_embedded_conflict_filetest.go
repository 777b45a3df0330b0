//go:build ignore

package main

type A interface{ Close() }
type B interface{ Close() error }

type C interface {
	A
	B
}

func main() {}

// CompileError:
// interface_embedded_conflict_filetest.go:10:2: duplicate method Close
// 	interface_embedded_conflict_filetest.go:9:2: other declaration of method Close
