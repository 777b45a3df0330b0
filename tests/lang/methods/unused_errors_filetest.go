//go:build ignore && go1.27

// What nobody instantiates is checked all the same.
package main

type T struct{}

func (T) A[P any](p P) int { return p }

func (T) B[P any](p P) {
	x := 1
	p.M()
}

func (T) C[P undefined](p P) {}

func (T) D[P any]() int {}

func (u Unknown) E[P any](P) {}

func main() {}

// CompileError:
// unused_errors_filetest.go:8:37: cannot use p (variable of type P constrained by any) as int value in return statement
// unused_errors_filetest.go:11:2: declared and not used: x
// unused_errors_filetest.go:12:4: p.M undefined (type P has no field or method M)
// unused_errors_filetest.go:15:14: undefined: undefined
// unused_errors_filetest.go:17:26: missing return
// unused_errors_filetest.go:19:9: undefined: Unknown
