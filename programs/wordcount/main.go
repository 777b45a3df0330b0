// Command wordcount counts the words of a text that it makes: it scans lines, splits and
// folds them, counts in a map, and prints the most frequent. The size is the number of
// lines.
//
// Usage: wordcount [size]
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

func text(n int) string {
	syllables := []string{"ka", "to", "mi", "ren", "sol", "Va", "é", "ne", "Du", "lor", "ip", "ße"}
	var b strings.Builder
	x := uint32(2463534242)
	next := func(n uint32) uint32 {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		return x % n
	}
	for range n {
		for w := range 4 + next(9) {
			if w > 0 {
				b.WriteString([]string{" ", " ", " ", ", ", " - ", "\t"}[next(6)])
			}
			for range 1 + next(3) {
				b.WriteString(syllables[next(uint32(len(syllables)))])
			}
		}
		b.WriteString(".\n")
	}
	return b.String()
}

func main() {
	n := size(20000)
	in := bufio.NewScanner(strings.NewReader(text(n)))
	counts := map[string]int{}
	lines, runes := 0, 0
	for in.Scan() {
		lines++
		for _, w := range strings.FieldsFunc(in.Text(), func(r rune) bool { return !unicode.IsLetter(r) }) {
			w = strings.ToLower(w)
			counts[w]++
			for range w {
				runes++
			}
		}
	}
	if err := in.Err(); err != nil {
		panic(err)
	}
	type entry struct {
		word string
		n    int
	}
	var list []entry
	for w, c := range counts {
		list = append(list, entry{w, c})
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(b.n-a.n, strings.Compare(a.word, b.word)) })
	var b strings.Builder
	for _, e := range list[:min(len(list), 5)] {
		fmt.Fprintf(&b, "%s=%d ", e.word, e.n)
	}
	fmt.Println(lines, runes, len(list), strings.TrimSpace(b.String()))
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
