//go:build ignore

package main

import (
	"math"
	"math/bits"
	"strconv"
)

func main() {
	println(bits.UintSize, strconv.IntSize, math.MaxInt, math.MinInt, uint64(math.MaxUint))
	var u uintptr = 1
	println(u<<63 != 0)
}

// Stderr:
// 64 64 9223372036854775807 -9223372036854775808 18446744073709551615
// true
