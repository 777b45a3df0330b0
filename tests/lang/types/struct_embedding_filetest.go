//go:build ignore

package main

type Point struct{ x, y int }

func (p Point) Sum() int    { return p.x + p.y }
func (p *Point) Move(d int) { p.x += d }

type Named struct {
	Point
	name string
}

func main() {
	n := Named{Point{1, 2}, "n"}
	n.Move(10)
	n.y = 5
	println(n.x, n.Point.x, n.Sum(), n.name)
	q := &n
	q.Move(1)
	println(n.Sum())
}

// Gas: 420

// Stderr:
// 11 11 16 n
// 17
