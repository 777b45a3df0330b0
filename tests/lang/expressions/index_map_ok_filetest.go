//go:build ignore

package main

func main() {
	m := map[string][]int{"a": {1, 2}}
	v, ok := m["a"]
	println(len(v), ok)
	var w any
	var found bool
	w, found = m["b"]
	println(w.([]int) == nil, found)
	m["c"] = append(m["c"], 3)
	println(m["c"][0])
}

// Stderr:
// 2 true
// true false
// 3
