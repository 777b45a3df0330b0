//go:build ignore

package main

type P struct{ x, y int }

func main() {
	a := P{1}
	b := P{x: 1, 2}
	c := P{z: 3}
	d := P{x: 1, x: 2}
	println(a, b, c, d)
}

// CompileError:
// composite_struct_bad_filetest.go:8:10: too few values in struct literal of type P
// composite_struct_bad_filetest.go:9:15: mixture of field:value and value elements in struct literal
// composite_struct_bad_filetest.go:10:9: unknown field z in struct literal of type P
// composite_struct_bad_filetest.go:11:15: duplicate field name x in struct literal
