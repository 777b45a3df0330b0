//go:build ignore

package main

func main() {
	m := map[int]int{1: 10, 2: 20, 3: 30}
	keys, vals := 0, 0
	for k, v := range m {
		keys += k
		vals += v
	}
	println(keys, vals)
	for k := range m {
		delete(m, k)
	}
	println(len(m))
	m[1] = 1
	n := 0
	for range m {
		m[n+100] = n // may or may not be seen
		if n++; n == 3 {
			break
		}
	}
	println(n >= 1)
}

// Stderr:
// 6 60
// 0
// true
