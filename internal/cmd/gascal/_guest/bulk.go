package guest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

var (
	from, to   []byte
	text, twin string
	numbers64  []uint64
	other64    []uint64
)

// bytesOf makes two equal slices of n bytes that lie apart.
func bytesOf(n int) {
	from, to = make([]byte, n), make([]byte, n)
	from[0] = 'a'
	for k := 1; k < n; k *= 2 {
		copy(from[k:], from[:k])
	}
	copy(to, from)
}

func texts(n int) {
	bytesOf(n)
	text, twin = string(from), string(to)
	from, to = nil, nil
}

// bulkRows are operations that are one instruction to the guest and many bytes to the machine.
func bulkRows() []row {
	var list []row
	for _, size := range []struct {
		name string
		n    int
	}{{"8 bytes", 8}, {"1 KiB", 1 << 10}, {"64 KiB", 64 << 10}, {"2 MiB", 2 << 20}, {"128 MiB", 128 << 20}} {
		n := size.n
		both, strs := func() { bytesOf(n) }, func() { texts(n) }
		add := func(name string, set func(), one func(i int)) {
			list = append(list, each("bulk: "+name+" "+size.name, set, one))
		}
		add("copy", both, func(int) { copy(to, from) })
		add("copy overlapping", both, func(int) { copy(from[1:], from) })
		add("clear", both, func(int) { clear(to) })
		add("bytes.Equal of equal", both, func(int) {
			if bytes.Equal(from, to) {
				num++
			}
		})
		add("bytes.Compare of equal", both, func(int) { num += bytes.Compare(from, to) })
		add("compare equal strings", strs, func(int) {
			if text <= twin {
				num++
			}
		})
		add("IndexByte without", both, func(int) { num += bytes.IndexByte(from, 'z') })
		add("Count of a byte", both, func(int) { num += bytes.Count(from, one) })
		add("concatenate", strs, func(int) { str = ""; str = text + "b" })
		add("string to bytes and back", strs, func(int) { str, raw = "", nil; raw = []byte(text); str = string(raw) })
		add("strings.Repeat to", nil, func(int) { str = ""; str = strings.Repeat("abcdefgh", n/8) })
	}
	const big = 64 << 20
	return append(list,
		each("bulk: LastIndexByte without 64 MiB", func() { bytesOf(big) }, func(int) { num += bytes.LastIndexByte(from, 'z') }),
		each("bulk: strings.Index of a text without 2 MiB", func() { texts(2 << 20) }, func(int) { num += strings.Index(text, "aaab") }),
		each("bulk: strings.ToUpper 2 MiB", func() { texts(2 << 20) }, func(int) { str = strings.ToUpper(text) }),
		each("bulk: append of 64 MiB", func() { bytesOf(big) }, func(int) { raw = nil; raw = append(raw, from...) }),
		each("bulk: slices.Equal of 2 MiB of integers", func() { numbers64, other64 = make([]uint64, 1<<18), make([]uint64, 1<<18) }, func(int) {
			if slices.Equal(numbers64, other64) {
				num++
			}
		}),
		each("bulk: slices.Insert in 1 MiB", func() { raw = make([]byte, 1<<20, 1<<20+8) }, func(int) { raw = slices.Insert(raw[:1<<20], 1, 'x') }),
		each("bulk: slices.Reverse 1 MiB of integers", func() { numbers64 = make([]uint64, 1<<17) }, func(int) { slices.Reverse(numbers64) }),
		each("bulk: fill 1 MiB by a loop", func() { raw = make([]byte, 1<<20) }, func(i int) {
			for j := range raw {
				raw[j] = byte(i)
			}
		}),
		each("bulk: assign arrays of 1 MiB", nil, func(i int) { arrays[0] = arrays[1]; arrays[0][i&1023] = 1 }),
		each(fmt.Sprintf("bulk: compare arrays of %d MiB", len(arrays[0])>>20), nil, func(int) {
			if arrays[2] == arrays[3] {
				num++
			}
		}),
		each("bulk: interface of an array of 1 MiB", nil, func(int) { thing = nil; thing = arrays[1] }),
		each("bulk: map key of 64 KiB", func() { texts(64 << 10); byText = map[string]int{text: 1} }, func(int) { num += byText[twin] }),
		each("bulk: clear a map of 100,000", nil, func(int) {
			m := map[int]int{}
			for i := range 100_000 {
				m[i] = 1
			}
			clear(m)
		}))
}

var (
	one    = []byte{'z'}
	arrays [4][1 << 20]byte
	byText map[string]int
)
