//go:build ignore

package main

import "fmt"

type T struct{ a, b int }

var (
	x    = 1
	s    = []int{1, 2, 3}
	p    = &T{1, 2}
	n    int
	sum  = x + f()
	a, b = x, f()
	t    = T{p.a, f()}
	c, d = two(s[1], f())
	e    = s[x&1] < f() && x+f() > 3 || s[2] == f()
	m    = map[int]int{x & 1: f(), 2: x}
	_    = fmt.Sprint(x, f())
	l, _ = fmt.Println("init", x, f())
	g    = func() int { return x + f() }
	h, k = m[x+f()]
	y    = any(x) == any(f())
	z    = s[1:][x&1] + f()
)

func two(i, j int) (int, int) { return i, j }

func f() int {
	n++
	x, s, p = x+1, []int{10 * n, 20 * n, 30 * n}, &T{n, n}
	_, _, _ = n, x, p
	return n
}

func main() {
	fmt.Println(sum, a, b, t, c, d, e, m, l, g(), h, k, y, z)
	fmt.Println(x, s, *p, n)
}

type L struct {
	t T
	a [3]int
	s []int
	p *T
}

var (
	l1 = L{T{x, f()}, [3]int{x, f(), x}, []int{x, f()}, &T{x + f(), x}}
	l2 = &L{t: T{a: x, b: f()}, s: []int{f(), x + f(), s[0] + f()}}
	l3 = []T{{x, f()}, {p.a, x + f()}}
	l4 = []*T{{x, f()}, {p.a, x + f()}}
	l5 = [...]func() int{func() int { return x }, ff(f())}
)

func ff(i int) func() int { return func() int { return i } }

func init() {
	println(l1.t.a, l1.t.b, l1.a[0], l1.a[1], l1.a[2], l1.s[0], l1.s[1], l1.p.a, l1.p.b, l2.t.a, l2.t.b, l2.s[0], l2.s[1], l2.s[2])
	println(l3[0].a, l3[0].b, l3[1].a, l3[1].b, l4[0].a, l4[0].b, l4[1].a, l4[1].b, l5[0](), l5[1]())
}

// Output:
// init 10 9
// 3 2 2 {2 3} 80 4 false map[0:7 2:8] 10 53 0 false false 342
// 27 [260 520 780] {26 26} 26

// Stderr:
// 13 13 14 14 15 15 15 33 17 17 17 18 39 220
// 21 21 21 45 23 23 23 49 26 25
