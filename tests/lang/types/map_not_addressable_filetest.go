//go:build ignore

package main

type T struct{ n int }

func main() {
	m := map[string]T{"a": {1}}
	m["a"].n = 2
	p := &m["a"]
	println(p)
}

// CompileError:
// map_not_addressable_filetest.go:9:2: cannot assign to struct field m["a"].n in map
// map_not_addressable_filetest.go:10:8: invalid operation: cannot take address of m["a"] (map index expression of struct type T)
