// Command sieve counts the primes below the size by the sieve of Eratosthenes, five times.
//
// Usage: sieve [size]
package main

import (
	"fmt"
	"os"
	"strconv"
)

func primes(n int) int {
	composite := make([]bool, n)
	count := 0
	for i := 2; i < n; i++ {
		if composite[i] {
			continue
		}
		count++
		for j := i * i; j < n; j += i {
			composite[j] = true
		}
	}
	return count
}

func main() {
	n := size(5000000)
	sum := 0
	for range 5 {
		sum += primes(n)
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
