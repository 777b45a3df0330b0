//go:build ignore

package main

import "reflect"

type A struct {
	a bool
	b int64
	c bool
}

type B struct {
	a, c bool
	b    int64
}

func main() {
	a, b := reflect.TypeFor[A](), reflect.TypeFor[B]()
	println(a.Size(), b.Size(), a.Align(), a.Field(1).Offset, b.Field(2).Offset)
	println(reflect.TypeFor[string]().Size(), reflect.TypeFor[[]int]().Size(), reflect.TypeFor[any]().Size(), reflect.TypeFor[struct{}]().Size(), reflect.TypeFor[complex64]().Align())
}

// Stderr:
// 24 16 8 8 8
// 16 24 16 0 4
