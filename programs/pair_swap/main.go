// Command pair_swap makes a new pair with the halves exchanged at each step. The
// size is the number of thousand steps.
//
// Usage: pair_swap [size]
package main

import (
	"fmt"
	"os"
	"strconv"
)

type pair struct{ a, b int64 }

func swap(p *pair) *pair { return &pair{p.b, p.a + 1} }

func main() {
	n := size(20000)
	sum := int64(0)
	for range n {
		p := &pair{1, 2}
		for range 1000 {
			p = swap(p)
		}
		sum += p.a*3 + p.b
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
