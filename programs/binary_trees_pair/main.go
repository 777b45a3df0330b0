// Command binary_trees_pair builds full binary trees of pairs and counts their
// nodes. The size is the number of trees of depth 12.
//
// Usage: binary_trees_pair [size]
package main

import (
	"fmt"
	"os"
	"strconv"
)

type pair struct{ l, r *pair }

func tree(d int) *pair {
	if d == 0 {
		return &pair{}
	}
	return &pair{tree(d - 1), tree(d - 1)}
}

func count(p *pair) int {
	if p == nil {
		return 0
	}
	return 1 + count(p.l) + count(p.r)
}

func main() {
	n := size(1000)
	sum := 0
	for range n {
		sum += count(tree(12))
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
