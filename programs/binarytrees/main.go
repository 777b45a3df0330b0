// Command binarytrees allocates and walks many binary trees while one long-lived
// tree stays. The size is the depth of the deepest trees.
//
// Usage: binarytrees [size]
package main

import (
	"fmt"
	"os"
	"strconv"
)

type node struct{ left, right *node }

func build(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{build(depth - 1), build(depth - 1)}
}

func (n *node) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

func main() {
	const least = 4
	most := max(size(16), least+2)
	fmt.Printf("stretch tree of depth %d\t check: %d\n", most+1, build(most+1).count())
	long := build(most)
	for d := least; d <= most; d += 2 {
		n := 1 << (most - d + least)
		check := 0
		for range n {
			check += build(d).count()
		}
		fmt.Printf("%d\t trees of depth %d\t check: %d\n", n, d, check)
	}
	fmt.Printf("long lived tree of depth %d\t check: %d\n", most, long.count())
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
