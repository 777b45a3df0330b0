//go:build ignore

package main

func Zero[T any]() (z T) { return }

func IsZero[T comparable](t T) bool { return t == *new(T) }

func main() {
	println(Zero[int](), Zero[string]() == "", Zero[*int]() == nil, Zero[[2]int]()[1])
	println(IsZero(0), IsZero("x"), IsZero(struct{ a int }{}))
}

// Stderr:
// 0 true true 0
// true false true
