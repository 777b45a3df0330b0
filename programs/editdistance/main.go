// Command editdistance compares words by dynamic programming: edit distance in two
// rows, longest common subsequence in a table, and the best local alignment. The size is the
// number of pairs.
//
// Usage: editdistance [size]
package main

import (
	"fmt"
	"os"
	"strconv"
)

// distance is the number of insertions, deletions and replacements.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost = 1 + min(corner, row[j], row[j+1])
			}
			corner, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// common is a longest common subsequence.
func common(a, b []byte) []byte {
	table := make([][]int16, len(a)+1)
	for i := range table {
		table[i] = make([]int16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	var out []byte
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			out = append(out, a[i])
			i++
			j++
		case table[i+1][j] >= table[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// align is the score of the best local alignment.
func align(a, b []byte, score *[4][4]int32) int32 {
	const gap = 3
	row, best := make([]int32, len(b)+1), int32(0)
	for _, x := range a {
		corner := int32(0)
		for j, y := range b {
			s := max(0, corner+score[x>>1&3][y>>1&3], row[j]-gap, row[j+1]-gap)
			corner, row[j+1] = row[j+1], s
			best = max(best, s)
		}
	}
	return best
}

func main() {
	n := size(200)
	var score [4][4]int32
	for i := range score {
		for j := range score[i] {
			score[i][j] = -2
		}
		score[i][i] = 4
	}
	x := uint32(2463534242)
	word := func() []byte {
		w := make([]byte, 150+x%100)
		for i := range w {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
			w[i] = "ACGT"[x>>20&3]
		}
		return w
	}
	edits, length, best, h := 0, 0, int32(0), uint32(0)
	for range n {
		a, b := word(), word()
		copy(b[20:], a[:100])
		edits += distance(string(a), string(b))
		c := common(a, b)
		length += len(c)
		for _, v := range c {
			h = h*31 + uint32(v)
		}
		best += align(a, b, &score)
	}
	fmt.Printf("%d %d %d %08x\n", edits, length, best, h)
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
