// Command closures calls function values: captured variables, callbacks, method
// values and composed functions. The size is the number of thousand rounds.
//
// Usage: closures [size]
package main

import (
	"fmt"
	"os"
	"strconv"
)

type counter struct{ n int }

func (c *counter) add(k int) { c.n += k }

func compose(f, g func(int) int) func(int) int { return func(x int) int { return g(f(x)) } }

func each(n int, f func(int)) {
	for i := range n {
		f(i)
	}
}

func main() {
	n := size(10000)
	sum := 0
	inc := func(x int) int { return x + 1 }
	dbl := func(x int) int { return x * 2 }
	f := compose(compose(inc, dbl), inc)
	c := &counter{}
	add := c.add
	for range n {
		each(500, func(i int) { sum += i & 3 })
		for i := range 500 {
			sum += f(i) & 7
			add(i)
		}
	}
	adders := make([]func(int) int, 16)
	for i := range adders {
		adders[i] = func(x int) int { return x + i }
	}
	for i := range n {
		sum += adders[i%16](i)
	}
	fmt.Println(sum, c.n)
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
