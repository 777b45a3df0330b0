//go:build ignore

package main

type Counter[T any] struct{ n int }

func count[T any](c map[string]int, name string) { c[name]++ }

type A struct{}
type B struct{}

func instance[T any]() any { return Counter[T]{} }

func main() {
	println(instance[A]() == instance[A](), instance[A]() == instance[B]())
	m := map[string]int{}
	count[A](m, "a")
	count[B](m, "a")
	println(m["a"])
}

// Stderr:
// true false
// 2
