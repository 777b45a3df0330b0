// Command queens counts the ways to place n queens on a board of n by n, with sets
// of columns and diagonals as bits, and solves the same once more by a
// permutation with sets as slices for the first solution in order. The size is n.
//
// Usage: queens [size]
package main

import (
	"fmt"
	"math/bits"
	"os"
	"strconv"
)

// count returns the number of ways to fill the rows that are left.
func count(all, columns, left, right uint32) int {
	if columns == all {
		return 1
	}
	n := 0
	for free := all &^ (columns | left | right); free != 0; free &= free - 1 {
		bit := free & -free
		n += count(all, columns|bit, (left|bit)<<1, (right|bit)>>1)
	}
	return n
}

// first finds the solution that is the first in order.
func first(n int) []int {
	columns, rise, fall := make([]bool, n), make([]bool, 2*n), make([]bool, 2*n)
	var at []int
	var place func(row int) bool
	place = func(row int) bool {
		if row == n {
			return true
		}
		for c := range n {
			if columns[c] || rise[row+c] || fall[row-c+n] {
				continue
			}
			columns[c], rise[row+c], fall[row-c+n] = true, true, true
			at = append(at, c)
			if place(row + 1) {
				return true
			}
			at = at[:row]
			columns[c], rise[row+c], fall[row-c+n] = false, false, false
		}
		return false
	}
	place(0)
	return at
}

func main() {
	n := size(11)
	all := uint32(1)<<n - 1
	sum := uint32(0)
	for k := range 1 << min(n, 16) { // a little work on single bits
		sum += uint32(bits.OnesCount32(uint32(k)*2654435761)) ^ uint32(bits.TrailingZeros32(uint32(k)|1<<20))
	}
	fmt.Println(count(all, 0, 0, 0), first(n), sum)
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
