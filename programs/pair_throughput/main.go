// Command pair_throughput allocates a chain of pairs, each of which refers twice
// to the one before, many times over. The size is the number of chains.
//
// Usage: pair_throughput [size]
package main

import (
	"fmt"
	"os"
	"strconv"
)

type pair struct{ a, b *pair }

func chain(n int) *pair {
	var p *pair
	for range n {
		p = &pair{p, p}
	}
	return p
}

func main() {
	n := size(20000)
	sum := 0
	for range n {
		for p := chain(1000); p != nil; p = p.b {
			if p.a == p.b {
				sum++
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
