//go:build ignore && go1.27

// Methods with type parameters of types that have none, whatever their underlying types.
package main

import "fmt"

type Point struct{ x, y int }

func (p Point) Scale[N int | float64](by N) string { return fmt.Sprint(N(p.x)*by, " ", N(p.y)*by) }

type Count int

func (c Count) Pair[P any](v P) (Count, P) { return c, v }

type List []string

func (l List) Each[P any](f func(string) P) (r []P) {
	for _, s := range l {
		r = append(r, f(s))
	}
	return r
}

type Dict map[string]int

func (d Dict) Get[P ~string](key P) int { return d[string(key)] }

type Fn func(int) int

func (f Fn) Over[P ~int](v P) P { return P(f(int(v))) }

type Ch chan int

func (c Ch) Send[P ~int | ~uint8](vs ...P) {
	for _, v := range vs {
		c <- int(v)
	}
	close(c)
}

type Arr [3]int

func (a Arr) At[I ~int | ~uint](i I) int { return a[i] }

func main() {
	fmt.Println(Point{1, 2}.Scale(3), Point{1, 2}.Scale(1.5))
	fmt.Println(Count(4).Pair("v"))
	fmt.Println(List{"a", "bcd"}.Each(func(s string) int { return len(s) }))
	type name string
	fmt.Println(Dict{"k": 5}.Get(name("k")))
	fmt.Println(Fn(func(i int) int { return i * i }).Over(Count(7)))
	c := make(Ch, 3)
	c.Send[byte](1, 2, 255)
	for v := range c {
		fmt.Print(v, " ")
	}
	fmt.Println(Arr{7, 8, 9}.At(uint(2)))
}

// Output:
// 3 6 1.5 3
// 4 v
// [1 3]
// 5
// 49
// 1 2 255 9
