// Command mapranges prints the random order of maps.
package main

import (
	"fmt"
	"hash/maphash"
	"maps"
)

type key struct {
	n int
	s string
}

func main() {
	ints := map[int]string{}
	strs := map[string]int{}
	keys := map[any]float64{}
	for i := range 60 {
		s := fmt.Sprint("key", i)
		ints[i*i], strs[s] = s, i
		keys[key{i, s}] = float64(i)
		keys[s] = float64(-i)
	}
	for range 2 {
		for k, v := range ints {
			fmt.Print(k, v, " ")
		}
		fmt.Println()
		for k := range maps.Keys(strs) {
			fmt.Print(k, " ")
		}
		fmt.Println()
		n := 0
		for k, v := range keys {
			if n++; n > 20 {
				break
			}
			if v < 0 {
				delete(keys, k)
				keys[n] = float64(n)
			}
			fmt.Print(k, v, " ")
		}
		fmt.Println()
	}
	seed := maphash.MakeSeed()
	fmt.Println(maphash.String(seed, "x"), maphash.Comparable(seed, key{1, "y"}))
}
