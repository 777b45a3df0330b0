//go:build ignore && go1.27

// Receivers, parameters and results that are passed in memory.
package main

import "fmt"

type Big struct {
	a [20]int
	s string
}

func (b Big) Swap[P any](p P) (P, Big) { b.a[0]++; b.s += "!"; return p, b }

func (b *Big) In[P any](ps [3]P) [3]P { ps[0], ps[2] = ps[2], ps[0]; b.a[19] = len(ps); return ps }

type Zero struct{}

func (z Zero) Through[P, Q any](p P, q Q) (Q, Zero, P) { return q, z, p }

type F [4]float32

func (f F) Dot[N ~float32 | ~float64](g [4]N) (sum N) {
	for i := range f {
		sum += N(f[i]) * g[i]
	}
	return
}

func main() {
	b := Big{s: "b"}
	x, c := b.Swap(b)
	fmt.Println(x.a[0], x.s, c.a[0], c.s, b.a[0])
	_, d := c.Swap(Zero{})
	fmt.Println(d.a[0], d.s)
	in := [3]Big{{s: "0"}, {s: "1"}, {s: "2"}}
	out := b.In(in)
	fmt.Println(out[0].s, out[2].s, in[0].s, b.a[19])
	q, z, p := Zero{}.Through(in, struct{}{})
	fmt.Println(q, z, p[1].s)
	fmt.Println(F{1, 2, 3, 4}.Dot([4]float64{0.5, 0.25, 0, 1}), F{1}.Dot([4]float32{3}))
	f := b.Swap[[3]Big]
	_, e := f(in)
	fmt.Println(e.s, e.a[19])
}

// Output:
// 0 b 1 b! 0
// 2 b!!
// 2 0 0 3
// {} {} 1
// 5 3
// b! 3
