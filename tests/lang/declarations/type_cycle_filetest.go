//go:build ignore

package main

type A B
type B C
type C A

type I interface{ I }

func main() {}

// CompileError:
// type_cycle_filetest.go:5:6: invalid recursive type A
// 	type_cycle_filetest.go:5:6: A refers to B
// 	type_cycle_filetest.go:6:6: B refers to C
// 	type_cycle_filetest.go:7:6: C refers to A
// type_cycle_filetest.go:9:6: invalid recursive type: I refers to itself
