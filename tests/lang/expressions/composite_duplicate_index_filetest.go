//go:build ignore

package main

func main() {
	a := []int{0: 1, 0: 2}
	m := map[string]int{"a": 1, "a": 2}
	b := [2]int{1, 2, 3}
	println(a, m, b)
}

// CompileError:
// composite_duplicate_index_filetest.go:6:19: duplicate index 0 in array or slice literal
// composite_duplicate_index_filetest.go:7:30: duplicate key "a" in map literal
// composite_duplicate_index_filetest.go:8:20: index 2 is out of bounds (>= 2)
