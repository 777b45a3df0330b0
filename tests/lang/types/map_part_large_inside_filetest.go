//go:build ignore

// A map with elements of 2 GiB in a type that has a name is a type like others.
package main

type hidden struct{ m map[string][1 << 31]byte }

func main() {
	var h hidden
	println(h.m == nil, len(h.m))
}

// Stderr:
// true 0
