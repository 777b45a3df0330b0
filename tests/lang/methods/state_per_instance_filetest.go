//go:build ignore && go1.27

// What instances share and what not: package variables, closures, constants of size.
package main

import (
	"fmt"
	"reflect"
)

var calls int

type T struct{}

func (T) Count[P any]() (int, uintptr) {
	calls++
	var p P
	const k = len([3]int{})
	return calls * k, reflect.TypeOf(p).Size()
}

func (T) Kind[P any](p P) string {
	switch any(p).(type) {
	case int, int8:
		return "integer"
	case []P:
		return "slice of itself"
	case fmt.Stringer:
		return "stringer"
	case nil:
		return "nil"
	case interface{ Error() string }:
		return "error"
	}
	switch any(&p).(type) {
	case *string:
		return "string"
	case *[]string:
		return "strings"
	}
	return "other"
}

type E[A any] struct{}

func (E[A]) Same[B any]() bool {
	_, ok := any(*new(A)).(B)
	var x any = E[A]{}
	_, both := x.(E[B])
	return ok && both
}

func main() {
	var t T
	for range 2 {
		fmt.Println(t.Count[int8]())
		fmt.Println(t.Count[[5]string]())
	}
	fmt.Println(t.Kind(1), t.Kind("s"), t.Kind([]string{}), t.Kind[any](nil), t.Kind[error](fmt.Errorf("e")), t.Kind(2.5))
	fmt.Println(E[int]{}.Same[int](), E[int]{}.Same[string](), E[struct{}]{}.Same[struct{}]())
}

// Output:
// 3 1
// 6 80
// 9 1
// 12 80
// integer string strings nil error other
// true false true
