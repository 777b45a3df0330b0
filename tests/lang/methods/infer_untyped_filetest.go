//go:build ignore && go1.27

// Untyped constants get the default type of the largest kind, and the receiver's type where it fits.
package main

import "fmt"

type T struct{}

func (T) One[P any](p P) string    { return fmt.Sprintf("%T", p) }
func (T) Two[P any](p, q P) string { return fmt.Sprintf("%T %v %v", p, p, q) }
func (T) Sum[P int | float64 | complex128](ps ...P) (s P) {
	for _, p := range ps {
		s += p
	}
	return s
}

type G[E any] struct{}

func (G[E]) With[P any](e E, p P) string { return fmt.Sprintf("%T %T", e, p) }

const big = 1 << 40

func main() {
	var t T
	fmt.Println(t.One(1), t.One('a'), t.One(1.0), t.One(2i), t.One("s"), t.One(1 < 2), t.One(big), t.One(1<<3))
	fmt.Println(t.Two(1, 2.5), t.Two('a', 1), t.Two(1i, 'x'), t.Two(2.0, int8(3)), t.Two(int8(1), 'b'))
	fmt.Println(t.Sum(1, 2, 3.5), t.Sum(1, 2), t.Sum(1, 2i))
	fmt.Println(G[float32]{}.With(1, 1), G[rune]{}.With(1.0, 2.0), G[any]{}.With(nil, 'x'), G[uint8]{}.With('a', G[int]{}))
	s := 3
	fmt.Println(t.One(1<<s == 8), t.Two(s, 1<<s))
}

// Output:
// int int32 float64 complex128 string bool int int
// float64 1 2.5 int32 97 1 complex128 (0+1i) (120+0i) int8 2 3 int8 1 98
// 6.5 3 (1+2i)
// float32 int int32 float64 <nil> int32 uint8 main.G[int]
// bool int 3 8
