//go:build ignore

package main

import "sort"

type byLen []string

func (b byLen) Len() int           { return len(b) }
func (b byLen) Less(i, j int) bool { return len(b[i]) < len(b[j]) }
func (b byLen) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

func main() {
	s := []string{"ccc", "a", "bb", "b", "aa", "c"}
	sort.Stable(byLen(s))
	for _, x := range s {
		print(x, " ")
	}
	println()
}

// Stderr:
// \"a b c bb aa ccc "
