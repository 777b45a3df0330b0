//go:build ignore

package main

type T struct{ n int }

func main() {
	p := &T{5}
	q := &[]int{1, 2}
	r := &[2]int{3}
	s := &map[string]int{"a": 1}
	p.n++
	(*q)[0] = 10
	r[1] = 4
	(*s)["b"] = 2
	println(p.n, (*q)[0], r[1], len(*s))
	for i := range 2 {
		x := &T{i}
		if i == 0 {
			p = x
		} else {
			println(p == x, p.n, x.n)
		}
	}
}

// Gas: 715
// Gas go1.27: 713

// Stderr:
// 6 10 4 2
// false 0 1
