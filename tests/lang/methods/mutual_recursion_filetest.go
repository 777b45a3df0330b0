//go:build ignore && go1.27

// Generic methods and generic functions call each other.
package main

import "fmt"

type Even[T any] struct{ trace []string }

func (e *Even[T]) Is[N ~int | ~uint](n N) bool {
	e.trace = append(e.trace, fmt.Sprintf("%T", n))
	if n == 0 {
		return true
	}
	return odd[N, T](e, n-1)
}

func odd[N ~int | ~uint, T any](e *Even[T], n N) bool {
	if n == 0 {
		return false
	}
	if n > 3 {
		return e.Is(uint(n - 1))
	}
	f := e.Is[N]
	return f(n - 1)
}

type A struct{}
type B struct{}

func (a A) Ping[P any](n int, p P) string {
	if n == 0 {
		return fmt.Sprintf("A.Ping[%T]", p)
	}
	return B{}.Pong(n-1, p)
}

func (b B) Pong[P any](n int, p P) string {
	if n == 0 {
		return fmt.Sprintf("B.Pong[%T]", p)
	}
	return A{}.Ping(n-1, p)
}

func main() {
	var e Even[string]
	fmt.Println(e.Is(7), e.trace)
	fmt.Println(e.Is(uint(2)), e.trace)
	fmt.Println(A{}.Ping(4, "p"), A{}.Ping(5, 'p'), B{}.Pong(3, []A{}))
}

// Output:
// false [int uint uint uint]
// true [int uint uint uint uint uint]
// A.Ping[string] B.Pong[int32] A.Ping[[]main.A]
