// Command quicksort sorts pseudo-random integers with a hand-written quicksort and
// prints a checksum. The size is the number of integers.
//
// Usage: quicksort [size]
package main

import (
	"fmt"
	"os"
	"strconv"
)

func quicksort(a []int) {
	for len(a) > 12 {
		p := partition(a)
		if p < len(a)-p {
			quicksort(a[:p])
			a = a[p+1:]
		} else {
			quicksort(a[p+1:])
			a = a[:p]
		}
	}
	for i := 1; i < len(a); i++ {
		for j := i; j > 0 && a[j] < a[j-1]; j-- {
			a[j], a[j-1] = a[j-1], a[j]
		}
	}
}

func partition(a []int) int {
	last := len(a) - 1
	mid := len(a) / 2
	a[mid], a[last] = a[last], a[mid]
	pivot, at := a[last], 0
	for i := range last {
		if a[i] < pivot {
			a[i], a[at] = a[at], a[i]
			at++
		}
	}
	a[at], a[last] = a[last], a[at]
	return at
}

func main() {
	n := size(2000000)
	a := make([]int, n)
	x := uint64(88172645463325252)
	for i := range a {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		a[i] = int(x >> 1)
	}
	quicksort(a)
	sum := uint64(0)
	for i, v := range a {
		if i > 0 && a[i-1] > v {
			panic("not sorted")
		}
		sum = sum*31 + uint64(v)
	}
	fmt.Printf("%016x\n", sum)
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
