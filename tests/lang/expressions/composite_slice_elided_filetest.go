//go:build ignore

package main

type P struct{ x, y int }

func main() {
	ps := []P{{1, 2}, {y: 5}}
	qs := []*P{{3, 4}, nil}
	m := map[P]string{{1, 2}: "p"}
	n := map[string]P{"o": {}}
	mm := [][]int{{1}, {2, 3}, {}}
	println(ps[1].y, qs[0].x, m[P{1, 2}], n["o"].x, len(mm[1]), len(mm))
}

// Stderr:
// 5 3 p 0 2 3
