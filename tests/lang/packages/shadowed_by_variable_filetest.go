//go:build ignore

package main

import "strings"

func main() {
	println(strings.Repeat("a", 3))
	strings := []string{"x"}
	println(strings[0])
}

// Stderr:
// aaa
// x
