//go:build ignore

package main

func Add[T any](a, b T) T { return a + b }

func main() { println(Add(1, 2)) }

// CompileError:
// generic_no_operator_filetest.go:5:36: invalid operation: operator + not defined on a (variable of type T constrained by any)
