//go:build ignore

package main

type Point struct{ x, y int }

func (p *Point) Scale(f int) { p.x *= f; p.y *= f }
func (p Point) Len2() int    { return p.x*p.x + p.y*p.y }

type Ints []int

func (s Ints) Sum() (n int) {
	for _, v := range s {
		n += v
	}
	return
}

type F func() int

func (f F) Twice() int { return f() + f() }

func main() {
	p := Point{3, 4}
	p.Scale(2)
	println(p.Len2(), Ints{1, 2, 3}.Sum(), F(func() int { return 21 }).Twice())
}

// Gas: 284

// Stderr:
// 100 6 42
