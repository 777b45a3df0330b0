// Command maps fills, reads, deletes from and ranges over maps with integer and
// string keys. The size is the number of keys.
//
// Usage: maps [size]
package main

import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	n := size(200000)
	ints := map[int]int{}
	for i := range n {
		ints[i*7919] = i
	}
	sum := 0
	for i := range 2 * n {
		if v, ok := ints[i*7919]; ok {
			sum += v
		}
	}
	for i := 0; i < n; i += 3 {
		delete(ints, i*7919)
	}
	for k, v := range ints {
		sum += k ^ v
	}
	words := map[string]int{}
	for i := range n {
		words["key"+strconv.Itoa(i%(n/4+1))] += i
	}
	for k, v := range words {
		sum += len(k) * v
	}
	type point struct{ x, y int }
	points := map[point]string{}
	for i := range n / 2 {
		points[point{i % 1000, i / 1000}] = "p"
	}
	fmt.Println(len(ints), len(words), len(points), sum)
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
