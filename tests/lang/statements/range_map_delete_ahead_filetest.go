//go:build ignore

package main

func main() {
	m := map[int]bool{}
	for i := range 100 {
		m[i] = true
	}
	n := 0
	for k := range m {
		n++
		delete(m, (k+50)%100)
	}
	println(n, len(m))
}

// Stderr:
// 50 50
