//go:build ignore

package main

func main() {
	m := map[string]int{"a": 1}
	m["b"]++
	m["b"] += 2
	v, ok := m["c"]
	println(m["a"], m["b"], v, ok, len(m))
	delete(m, "a")
	delete(m, "nothing")
	_, ok = m["a"]
	println(ok, len(m))
}

// Gas: 1194
// Gas go1.27: 1262

// Stderr:
// 1 3 0 false 2
// false 1
