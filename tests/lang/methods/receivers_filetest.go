//go:build ignore && go1.27

// Pointer receivers change what they point to, value receivers their copy; operands are addressed
// and dereferenced as for ordinary methods.
package main

import "fmt"

type T struct{ n int }

func (t *T) Add[P ~int | ~int8](v P) *T { t.n += int(v); return t }
func (t T) Plus[P ~int | ~int8](v P) T  { t.n += int(v); return t }

type G[E any] struct{ s []E }

func (g *G[E]) Push[S ~[]E](s S)    { g.s = append(g.s, s...) }
func (g G[E]) Len[P any]() (P, int) { var p P; return p, len(g.s) }

func main() {
	var t T
	t.Add(1).Add(int8(2))
	fmt.Println(t, t.Plus(10), t)
	p := &t
	fmt.Println(p.Plus(1), (*p).Plus(2), *p.Add(4), t)
	list := []T{{1}, {2}}
	list[1].Add(40)
	fmt.Println(list)
	m := map[string]*T{"a": {5}}
	m["a"].Add(1)
	fmt.Println(*m["a"], m["a"].Plus(1))
	var g G[int]
	g.Push([]int{1, 2})
	pg := &g
	pg.Push(pg.s)
	fmt.Println(g.s)
	fmt.Println(pg.Len[string]())
}

// Output:
// {3} {13} {3}
// {4} {5} {7} {7}
// [{1} {42}]
// {6} {7}
// [1 2 1 2]
//  4
