package main

import (
	"io"
	"slices"
)

func report(w io.Writer, file string) error { return nil }
func sortedKeys(m tests) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
