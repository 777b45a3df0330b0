//go:build ignore && go1.27

// Type arguments: too many, unsatisfied constraints, of what is no generic method.
package main

type T struct{}

func (T) M[P ~int](P)         {}
func (T) Plain(int)           {}
func (T) Cmp[K comparable](K) {}

type G[E any] struct{}

func (G[E]) Of[S ~[]E](S) {}

func main() {
	var t T
	t.M[int, string](1)
	t.M[string]("")
	t.M("")
	t.Plain[int](1)
	t.Cmp([]int{})
	t.Cmp(func() {})
	G[int]{}.Of([]string{})
	_ = G[int]{}.Of[string]
}

// CompileError:
// wrong_type_arguments_filetest.go:18:11: got 2 type arguments but want 1
// wrong_type_arguments_filetest.go:19:6: string does not satisfy ~int (string missing in ~int)
// wrong_type_arguments_filetest.go:20:2: string does not satisfy ~int (string missing in ~int)
// wrong_type_arguments_filetest.go:21:2: cannot index t.Plain (value of type func(int))
// wrong_type_arguments_filetest.go:22:2: []int does not satisfy comparable
// wrong_type_arguments_filetest.go:23:2: func() does not satisfy comparable
// wrong_type_arguments_filetest.go:24:2: in call to G[int]{}.Of, S (type []string) does not satisfy ~[]int
// wrong_type_arguments_filetest.go:25:18: string does not satisfy ~[]int (string missing in ~[]int)
