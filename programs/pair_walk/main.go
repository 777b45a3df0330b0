// Command pair_walk builds a linked list and walks it, many times over. The size is
// the number of lists.
//
// Usage: pair_walk [size]
package main

import (
	"fmt"
	"os"
	"strconv"
)

type cell struct {
	v    int64
	next *cell
}

func build(n int64) *cell {
	var l *cell
	for i := range n {
		l = &cell{i, l}
	}
	return l
}

func main() {
	n := size(20000)
	sum := int64(0)
	for range n {
		for c := build(1000); c != nil; c = c.next {
			sum += c.v
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
