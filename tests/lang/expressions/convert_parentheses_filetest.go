//go:build ignore

package main

type Point struct{ x int }

func main() {
	p := &Point{3}
	q := (*Point)(p)
	f := (func() int)(func() int { return 8 })
	c := (<-chan int)(make(chan int, 2))
	println(q.x, f(), cap(c), (func())(nil) == nil)
}

// Stderr:
// 3 8 2 true
