//go:build ignore && go1.27

// Calls of itself with other type arguments end when the arguments turn in a circle.
package main

import "fmt"

type T struct{ depth int }

func (t T) Turn[A, B, C any](a A, b B, c C) string {
	s := fmt.Sprintf("%T,%T,%T", a, b, c)
	if t.depth == 0 {
		return s
	}
	return s + " " + T{t.depth - 1}.Turn(b, c, a)
}

type G[A, B any] struct {
	a A
	b B
}

func (g G[A, B]) Flip[C any](n int, c C) string {
	if n == 0 {
		return fmt.Sprintf("%T(%T)", g, c)
	}
	return G[C, A]{c, g.a}.Flip(n-1, g.b)
}

func main() {
	fmt.Println(T{4}.Turn(1, "x", 2.5))
	for n := range 4 {
		fmt.Println(G[int, string]{1, "x"}.Flip(n, 'r'))
	}
}

// Output:
// int,string,float64 string,float64,int float64,int,string int,string,float64 string,float64,int
// main.G[int,string](int32)
// main.G[int32,int](string)
// main.G[string,int32](int)
// main.G[int,string](int32)
