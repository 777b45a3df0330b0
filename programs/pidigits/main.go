// Command pidigits prints a checksum and the last digits of pi by a spigot over
// math/big. The size is the number of digits.
//
// Usage: pidigits [size]
package main

import (
	"fmt"
	"math/big"
	"os"
	"strconv"
)

func main() {
	n := size(1000)
	var (
		num, den, acc = big.NewInt(1), big.NewInt(1), big.NewInt(0)
		t1, t2        big.Int
		sum           uint64
		last          []byte
	)
	extract := func(k int64) int64 {
		t1.Mul(num, big.NewInt(k))
		t2.Add(&t1, acc)
		t1.Quo(&t2, den)
		return t1.Int64()
	}
	for k, i := int64(0), 0; i < n; {
		k++
		k2 := k*2 + 1
		acc.Add(acc, t1.Lsh(num, 1))
		acc.Mul(acc, big.NewInt(k2))
		den.Mul(den, big.NewInt(k2))
		num.Mul(num, big.NewInt(k))
		if num.Cmp(acc) > 0 {
			continue
		}
		d := extract(3)
		if d != extract(4) {
			continue
		}
		last = append(last, byte('0'+d))
		if len(last) > 10 {
			last = last[1:]
		}
		sum = sum*10007 + uint64(d)
		acc.Sub(acc, t1.Mul(den, big.NewInt(d)))
		acc.Mul(acc, big.NewInt(10))
		num.Mul(num, big.NewInt(10))
		i++
	}
	fmt.Printf("%s\t:%d %016x\n", last, n, sum)
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
