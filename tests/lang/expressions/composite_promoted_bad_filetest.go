//go:build ignore && go1.27

// What is no key: selectors, methods, unknown and ambiguous names, a mixture with values.
package main

type A struct{ x, both int }
type B struct{ both string }

type T struct {
	A
	B
	X int
}

func (A) method() {}

type E struct{ error }

func main() {
	_ = T{A.x: 1}
	_ = T{method: nil}
	_ = T{none: 1}
	_ = T{both: 1}
	_ = T{x: 1, B{}, 2}
	_ = T{x: "s"}
	_ = T{A{}, B{}, x: 1}
	_ = E{Error: nil}
	x := "x"
	_ = T{x: x}
	_ = map[string]int{x: 1}
	_ = []T{x: {x: 1}}
}

// CompileError:
// composite_promoted_bad_filetest.go:20:8: invalid field name A.x in struct literal
// composite_promoted_bad_filetest.go:21:8: method is not a field
// composite_promoted_bad_filetest.go:22:8: unknown field none in struct literal of type T
// composite_promoted_bad_filetest.go:23:8: unknown field both in struct literal of type T
// composite_promoted_bad_filetest.go:24:14: mixture of field:value and value elements in struct literal
// composite_promoted_bad_filetest.go:25:11: cannot use "s" (untyped string constant) as int value in struct literal
// composite_promoted_bad_filetest.go:26:18: mixture of field:value and value elements in struct literal
// composite_promoted_bad_filetest.go:27:8: Error is not a field
// composite_promoted_bad_filetest.go:29:11: cannot use x (variable of type string) as int value in struct literal
// composite_promoted_bad_filetest.go:31:10: invalid argument: index x (variable of type string) must be integer
// composite_promoted_bad_filetest.go:31:10: too many errors
