//go:build ignore && go1.27

// Explicit, partial and inferred type arguments.
package main

import "fmt"

type T struct{}

func (T) Show[A, B, C any](b B, c C) { var a A; fmt.Printf("%T %T %T\n", a, b, c) }

func (T) Slice[S ~[]E, E any](s S) { fmt.Printf("%T %T\n", s, *new(E)) }

type S[E any] struct{}

func (S[E]) Conv[To, From any](e E, x From) { fmt.Printf("%T %T %T\n", e, *new(To), x) }

type names []string

func main() {
	var t T
	t.Show[int8]("", 1.5)
	t.Show[int8, string]("", 'x')
	t.Show[int8, string, uint8]("", 'x')
	t.Show[[]int]([2]bool{}, nil == any(nil))
	t.Slice(names{})
	t.Slice[[]byte](nil)
	t.Slice[names, string](nil)
	S[uint]{}.Conv[complex64](1, struct{}{})
	S[string]{}.Conv[error, any]("", 1)
	S[map[string]int].Conv[int](S[map[string]int]{}, nil, 2)
}

// Output:
// int8 string float64
// int8 string int32
// int8 string uint8
// []int [2]bool bool
// main.names string
// []uint8 uint8
// main.names string
// uint complex64 struct {}
// string <nil> int
// map[string]int int int
