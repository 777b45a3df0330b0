//go:build ignore && go1.27

// No part of a literal is given twice: same keys, a field and what encloses it.
package main

type C struct{ x, y int }

type B struct {
	C
	b int
}

type A struct {
	B
	a int
}

func main() {
	_ = A{x: 1, x: 2}
	_ = A{B: B{}, x: 1}
	_ = A{x: 1, B: B{}}
	_ = A{C: C{}, x: 1}
	_ = A{y: 1, C: C{}}
	_ = A{b: 1, C: C{}, a: 1, b: 2}
	_ = A{x: 1, C: C{}, B: B{}}
	_ = A{x: 1, y: 2, b: 3, a: 4}
}

// CompileError:
// composite_promoted_duplicate_filetest.go:19:14: duplicate field name x in struct literal
// composite_promoted_duplicate_filetest.go:20:16: cannot specify promoted field x and enclosing embedded field B
// composite_promoted_duplicate_filetest.go:21:14: cannot specify embedded field B and enclosed promoted field x
// composite_promoted_duplicate_filetest.go:22:16: cannot specify promoted field x and enclosing embedded field C
// composite_promoted_duplicate_filetest.go:23:14: cannot specify embedded field C and enclosed promoted field y
// composite_promoted_duplicate_filetest.go:24:28: duplicate field name b in struct literal
// composite_promoted_duplicate_filetest.go:25:14: cannot specify embedded field C and enclosed promoted field x
// composite_promoted_duplicate_filetest.go:25:22: cannot specify embedded field B and enclosed promoted field x
