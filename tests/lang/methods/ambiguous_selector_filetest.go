//go:build ignore && go1.27

// Two promoted methods at the same depth hide each other, generic or not.
package main

type A struct{}
type B struct{}

func (A) M[P any](P) {}
func (B) M(int)      {}
func (A) N[P any]()  {}
func (B) N[P any]()  {}

type C struct {
	A
	B
}

type D struct {
	C
	M int
}

func main() {
	var c C
	c.M(1)
	c.N[int]()
	_ = C.N[int]
	c.A.M("")
	c.B.M(2)
	var d D
	d.M = 3
	d.M[int](3)
	d.C.M(4)
}

// CompileError:
// ambiguous_selector_filetest.go:26:4: ambiguous selector c.M
// ambiguous_selector_filetest.go:27:4: ambiguous selector c.N
// ambiguous_selector_filetest.go:28:8: ambiguous selector C.N
// ambiguous_selector_filetest.go:33:2: cannot index d.M (variable of type int)
// ambiguous_selector_filetest.go:34:6: ambiguous selector d.C.M
