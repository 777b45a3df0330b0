// Command structsort sorts records by several keys, with slices.SortFunc,
// slices.SortStableFunc and sort.Slice, and looks some up by binary search. The size is the
// number of records.
//
// Usage: structsort [size]
package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"sort"
	"strconv"
)

type record struct {
	id    int
	name  string
	group uint8
	score float64
	tags  [2]int32
}

func records(n int) []record {
	list := make([]record, n)
	x := uint64(88172645463325252)
	for i := range list {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		list[i] = record{i, "n" + strconv.Itoa(int(x>>40)%5000), uint8(x>>8) % 50, float64(x>>20%1000) / 8, [2]int32{int32(x >> 32), int32(i)}}
	}
	return list
}

func checksum(list []record) uint64 {
	h := uint64(0)
	for _, r := range list {
		h = h*31 + uint64(r.id)
	}
	return h
}

func main() {
	list := records(size(200000))
	slices.SortFunc(list, func(a, b record) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	sums := []uint64{checksum(list)}
	slices.SortStableFunc(list, func(a, b record) int { return cmp.Compare(a.name, b.name) })
	sums = append(sums, checksum(list))
	found := 0
	for i := range 5000 {
		if _, ok := slices.BinarySearchFunc(list, "n"+strconv.Itoa(2*i), func(r record, name string) int {
			return cmp.Compare(r.name, name)
		}); ok {
			found++
		}
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].tags[0] != list[j].tags[0] {
			return list[i].tags[0] < list[j].tags[0]
		}
		return list[i].tags[1] < list[j].tags[1]
	})
	fmt.Println(append(sums, checksum(list)), found)
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
