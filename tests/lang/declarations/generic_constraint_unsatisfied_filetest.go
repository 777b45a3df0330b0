//go:build ignore

package main

func Max[T ~int | ~string](a, b T) T {
	if a > b {
		return a
	}
	return b
}

func Eq[T comparable](a, b T) bool { return a == b }

func main() {
	println(Max(1.5, 2))
	println(Eq([]int{}, nil))
	println(Max(1, "a"))
}

// CompileError:
// generic_constraint_unsatisfied_filetest.go:15:10: float64 does not satisfy ~int | ~string (float64 missing in ~int | ~string)
// generic_constraint_unsatisfied_filetest.go:16:10: []int does not satisfy comparable
// generic_constraint_unsatisfied_filetest.go:17:17: in call to Max, mismatched types untyped int and untyped string (cannot infer T)
