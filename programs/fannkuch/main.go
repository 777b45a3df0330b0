// Command fannkuch counts the flips of all permutations: the maximum and a
// checksum. The size is the length of the permutations.
//
// Usage: fannkuch [size]
package main

import (
	"fmt"
	"os"
	"strconv"
)

func fannkuch(n int) (checksum, most int) {
	perm, perm1, count := make([]int, n), make([]int, n), make([]int, n)
	for i := range perm1 {
		perm1[i] = i
	}
	r, nperm := n, 0
	for {
		for ; r != 1; r-- {
			count[r-1] = r
		}
		copy(perm, perm1)
		flips := 0
		for k := perm[0]; k != 0; k = perm[0] {
			for i, j := 0, k; i < j; i, j = i+1, j-1 {
				perm[i], perm[j] = perm[j], perm[i]
			}
			flips++
		}
		most = max(most, flips)
		if nperm&1 == 0 {
			checksum += flips
		} else {
			checksum -= flips
		}
		for {
			if r == n {
				return checksum, most
			}
			first := perm1[0]
			for i := range r {
				perm1[i] = perm1[i+1]
			}
			perm1[r] = first
			count[r]--
			if count[r] > 0 {
				break
			}
			r++
		}
		nperm++
	}
}

func main() {
	n := size(10)
	sum, most := fannkuch(n)
	fmt.Printf("%d\nPfannkuchen(%d) = %d\n", sum, n, most)
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
