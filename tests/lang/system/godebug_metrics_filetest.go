//go:build ignore

package main

import (
	"fmt"
	"math/rand"
	"runtime/metrics"
	"slices"
	"strings"
)

// A setting's metric counts how often it changed what happened; settings that have none, and unknown ones, have no kind.
func main() {
	samples := []metrics.Sample{
		{Name: "/godebug/non-default-behavior/randseednop:events"},
		{Name: "/godebug/non-default-behavior/http2client:events"},
		{Name: "/godebug/non-default-behavior/http2debug:events"},
		{Name: "/godebug/non-default-behavior/nothing:events"},
	}
	for range 3 {
		metrics.Read(samples)
		for _, s := range samples {
			if s.Value.Kind() == metrics.KindUint64 {
				fmt.Println(s.Value.Uint64())
			}
		}
		rand.Seed(1)
	}
	all := metrics.All()
	fmt.Println(slices.IsSortedFunc(all, func(a, b metrics.Description) int { return strings.Compare(a.Name, b.Name) }))
	fmt.Println(slices.ContainsFunc(all, func(d metrics.Description) bool { return d.Name == samples[0].Name && d.Cumulative }))
}

// Env: GODEBUG=randseednop=0

// Output:
// 0
// 0
// 1
// 0
// 2
// 0
// true
// true
