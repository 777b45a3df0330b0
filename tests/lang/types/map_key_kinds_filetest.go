//go:build ignore

package main

type K struct {
	a int
	s string
}

func main() {
	m := map[any]int{1: 1, "1": 2, 1.0: 3, K{1, "x"}: 4, [2]int{1, 2}: 5, int8(1): 6, nil: 7, true: 8}
	println(len(m), m[1], m["1"], m[1.0], m[K{1, "x"}], m[[2]int{1, 2}], m[int8(1)], m[nil], m[true], m[int16(1)])
}

// Stderr:
// 8 1 2 3 4 5 6 7 8 0
