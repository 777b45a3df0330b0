// Command ifacecall calls methods through interfaces, switches on types and asserts.
// The size is the number of thousand rounds.
//
// Usage: ifacecall [size]
package main

import (
	"fmt"
	"os"
	"strconv"
)

type shape interface {
	area() int
	scale(k int)
}

type square struct{ s int }
type rect struct{ w, h int }
type circle struct{ r int }

func (s *square) area() int   { return s.s * s.s }
func (s *square) scale(k int) { s.s = s.s*k%101 + 1 }
func (r *rect) area() int     { return r.w * r.h }
func (r *rect) scale(k int)   { r.w, r.h = r.h, r.w*k%97+1 }
func (c *circle) area() int   { return 3 * c.r * c.r }
func (c *circle) scale(k int) { c.r = c.r*k%89 + 1 }

type namer interface{ name() string }

func (c *circle) name() string { return "circle" }

func main() {
	n := size(10000)
	shapes := []shape{&square{3}, &rect{2, 5}, &circle{4}, &rect{7, 1}, &square{9}}
	values := []any{1, "two", 3.0, 'x', shapes[0], nil}
	sum := 0
	for i := range n {
		for range 200 {
			for _, s := range shapes {
				sum += s.area()
			}
		}
		for _, s := range shapes {
			s.scale(i)
			if x, ok := s.(namer); ok {
				sum += len(x.name())
			}
		}
		for _, v := range values {
			switch v := v.(type) {
			case int:
				sum += v
			case string:
				sum += len(v)
			case float64:
				sum += int(v)
			case shape:
				sum += v.area()
			case nil:
				sum++
			default:
				sum += 2
			}
		}
	}
	fmt.Println(sum)
}

// size returns the first argument, or def.
func size(def int) int {
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			return n
		}
	}
	return def
}
