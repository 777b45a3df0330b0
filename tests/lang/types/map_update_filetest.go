//go:build ignore

// Updates of entries of maps in terms of their old values, which a compiler may do with one search for the
// key: what is in the map when the new value cannot be computed, keys that are equal to nothing, and
// operands that see or change the map.

package main

import (
	"fmt"
	"math"
)

type pair struct{ a, b int }

type wide struct {
	n    int
	rest [200]int
}

func try(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(name, r)
		}
	}()
	f()
}

var order []string

func say[T any](s string, v T) T {
	order = append(order, s)
	return v
}

func main() {
	ints := map[int]int{}
	for i := range 40 {
		ints[i%7] += i
		ints[i%5]++
		ints[i%3] *= 3
		ints[i%11] -= 2
		ints[i%11] ^= i
		ints[i%11] |= 1
		ints[i%11] &^= 2
		ints[i%11] <<= 1
		ints[i%11] %= 1000
	}
	fmt.Println(ints)

	zero := 0
	try("quotient", func() { ints[100] /= zero })
	try("remainder", func() { ints[101] %= zero })
	shift := -1
	try("shift", func() { ints[102] <<= shift })
	_, a := ints[100]
	_, b := ints[101]
	fmt.Println(a, b)

	floats := map[float64]int{}
	for range 3 {
		floats[math.NaN()] += 5
		floats[0]++
		floats[math.Copysign(0, -1)]++
	}
	fmt.Println(len(floats), floats[0])

	text := map[string]string{}
	for i := range 30 {
		text[fmt.Sprint(i%4)] += fmt.Sprint(i, " ")
	}
	fmt.Println(text)

	lists := map[string][]int{}
	for i := range 50 {
		key := string(rune('a' + i%6))
		lists[key] = append(lists[key], i)
		lists[key] = append(lists[key], -i, i*i)
		lists["len"] = append(lists["len"], len(lists[key]))
	}
	lists["a"] = append(lists["a"], lists["b"]...)
	lists["a"] = append(lists["a"])
	lists["c"] = append(lists["d"], 1)
	fmt.Println(lists)

	anys := map[any][]any{}
	anys[1] = append(anys[1], "one", 1.0, nil)
	anys[pair{1, 2}] = append(anys[pair{1, 2}], pair{3, 4})
	try("unhashable", func() { anys[[]int{1}] = append(anys[[]int{1}], 1) })
	fmt.Println(len(anys), anys[1], anys[pair{1, 2}])

	var none map[string]int
	try("nil", func() { none["x"]++ })
	var noLists map[string][]int
	try("nil append", func() { noLists["x"] = append(noLists["x"], 1) })
	try("nil operand", func() { none[say("key", "k")] += say("value", 1) })

	at := 7
	pointers := map[string][]*int{}
	try("index", func() {
		lists, key, five, at := lists, fmt.Sprint(at), [5]int{1, 2, 3, 4, 5}, at
		lists[key] = append(lists[key], five[at])
	})
	try("address", func() {
		pointers, key, five, at := pointers, fmt.Sprint(at), [5]int{1, 2, 3, 4, 5}, at
		pointers[key] = append(pointers[key], &five[at])
	})
	try("slice", func() {
		lists, key, five, at := lists, fmt.Sprint(at), [5]int{1, 2, 3, 4, 5}, at
		lists[key] = append(lists[key], five[at:]...)
	})
	_, a = lists["7"]
	fmt.Println(a, len(pointers))

	counts := map[int]int{1: 1}
	counts[say("k", 1)] += say("v", counts[1])
	counts[2] += func() int { counts[2] = 40; delete(counts, 1); return 2 }()
	counts[3] = counts[3] + counts[2] + func() int { counts[3] = 7; return 1 }()
	fmt.Println(counts, order)

	grown := map[int][]int{}
	add := func(k int) int {
		for i := range 100 {
			grown[1000+i] = append(grown[1000+i], k)
		}
		return k
	}
	for k := range 3 {
		grown[k] = append(grown[k], add(k), k)
	}
	fmt.Println(len(grown), grown[2], grown[1050])

	big := map[int]wide{}
	for i := range 10 {
		w := big[i%3]
		w.n += i
		w.rest[i] = i
		big[i%3] = w
	}
	fmt.Println(big[0].n, big[1].n, big[2].rest[8], len(big))

	bytes := map[uint8]int8{}
	for i := range 300 {
		bytes[uint8(i)] += 100
		bytes[uint8(i)]--
	}
	fmt.Println(bytes[0], bytes[43], bytes[44], bytes[255])

	for k := range ints {
		ints[k]++
	}
	sum := 0
	for _, v := range ints {
		sum += v
	}
	fmt.Println(sum)

	p := map[*int]complex128{}
	q := new(int)
	p[q] += 1i
	p[q] *= 2
	fmt.Println(p[q], len(p))
}

// Output:
// map[0:2718 1:2757 2:2232 3:369 4:322 5:186 6:618 7:-70 8:-38 9:-54 10:-78]
// quotient runtime error: integer divide by zero
// remainder runtime error: integer divide by zero
// shift runtime error: negative shift amount
// false false
// 4 6
// map[0:0 4 8 12 16 20 24 28  1:1 5 9 13 17 21 25 29  2:2 6 10 14 18 22 26  3:3 7 11 15 19 23 27 ]
// map[a:[0 0 0 6 -6 36 12 -12 144 18 -18 324 24 -24 576 30 -30 900 36 -36 1296 42 -42 1764 48 -48 2304 1 -1 1 7 -7 49 13 -13 169 19 -19 361 25 -25 625 31 -31 961 37 -37 1369 43 -43 1849 49 -49 2401] b:[1 -1 1 7 -7 49 13 -13 169 19 -19 361 25 -25 625 31 -31 961 37 -37 1369 43 -43 1849 49 -49 2401] c:[3 -3 9 9 -9 81 15 -15 225 21 -21 441 27 -27 729 33 -33 1089 39 -39 1521 45 -45 2025 1] d:[3 -3 9 9 -9 81 15 -15 225 21 -21 441 27 -27 729 33 -33 1089 39 -39 1521 45 -45 2025] e:[4 -4 16 10 -10 100 16 -16 256 22 -22 484 28 -28 784 34 -34 1156 40 -40 1600 46 -46 2116] f:[5 -5 25 11 -11 121 17 -17 289 23 -23 529 29 -29 841 35 -35 1225 41 -41 1681 47 -47 2209] len:[3 3 3 3 3 3 6 6 6 6 6 6 9 9 9 9 9 9 12 12 12 12 12 12 15 15 15 15 15 15 18 18 18 18 18 18 21 21 21 21 21 21 24 24 24 24 24 24 27 27]]
// unhashable runtime error: hash of unhashable type []int
// 2 [one 1 <nil>] [{3 4}]
// nil assignment to entry in nil map
// nil append assignment to entry in nil map
// nil operand assignment to entry in nil map
// index runtime error: index out of range [7] with length 5
// address runtime error: index out of range [7] with length 5
// slice runtime error: slice bounds out of range [7:5]
// false 0
// map[2:42 3:50] [key value k v]
// 103 [2 2] [0 1 2]
// 18 12 8 3
// -58 -58 99 99
// 8974
// (0+2i) 1
