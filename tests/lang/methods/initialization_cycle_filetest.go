//go:build ignore && go1.27

// A package variable that a generic method refers to cannot be made with it.
package main

var a = T{}.M(1)

type T struct{}

func (T) M[P any](p P) int { return b }

var b = T{}.N[string]

func (T) N[P any]() int { return a }

func main() {}

// CompileError:
// initialization_cycle_filetest.go:6:5: initialization cycle for a
// 	initialization_cycle_filetest.go:6:5: a refers to M
// 	initialization_cycle_filetest.go:10:10: M refers to b
// 	initialization_cycle_filetest.go:12:5: b refers to N
// 	initialization_cycle_filetest.go:14:10: N refers to a
// initialization_cycle_filetest.go:10:37: cannot use b (variable of type func() int) as int value in return statement
