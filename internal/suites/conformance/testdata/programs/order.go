package main

import "fmt"

// The targets of an assignment are read after the calls on its right side.

type MyBool bool
type T struct {
	s []int
	n int
	b MyBool
	p *T
	a any
	m map[string]MyBool
}

func (t *T) grow() int          { t.s = append(make([]int, 0, 10), 7, 8, 9); t.n++; return t.n }
func (t *T) two() (int, MyBool) { t.grow(); t.p = &T{}; return 5, true }

type G[E any] struct{ items []E }

func (g *G[E]) reset(e E) E    { g.items = make([]E, 3); return e }
func (g *G[E]) set(i int, e E) { g.items[i] = g.reset(e) }

func try(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(name, r)
		}
	}()
	f()
}

func main() {
	t := &T{s: []int{1, 2, 3}, p: &T{}}
	t.s[t.n] = t.grow()
	fmt.Println(t.s, t.n)
	t.s[t.n] += t.grow()
	fmt.Println(t.s, t.n)
	old := t.p
	t.s[0], t.p.b = t.two()
	fmt.Println(t.s, t.n, t.p.b, old.b)
	t.s[t.n-4], t.n = t.grow(), t.grow()
	fmt.Println(t.s, t.n)
	t.m = map[string]MyBool{"a": true}
	key := func() string { t.p = &T{n: 3}; return "a" }
	t.p.n, t.p.b = 4, t.m[key()]
	fmt.Println(t.p.n, t.p.b)
	_, t.p.b = t.m[key()]
	fmt.Println(t.p.n, t.p.b)
	t.p.b = key() == "a"
	fmt.Println(t.p.n, t.p.b)
	t.p.a = key()
	fmt.Println(t.p.a)
	g := &G[string]{items: make([]string, 3)}
	g.set(1, "x")
	fmt.Println(g.items)
	say := func(s string) int { fmt.Println("said", s); return 1 }
	var np *T
	try("nil", func() { np.n = say("nil") })
	try("index", func() { t.s[1000] = say("index") })
	try("nil map", func() { var m map[int]int; m[3] = say("nil map") })
	for t.n = 0; t.n < 2; t.s[t.n] = t.grow() - 1 {
	}
	fmt.Println(t.s, t.n)
	if t.s[0] = t.grow(); t.n > 0 {
		fmt.Println(t.s)
	}
	goto L
L:
	t.s[1] = t.grow()
	fmt.Println(t.s)
	switch t.s[2] = t.grow(); {
	default:
		t.s[0] = t.grow()
	}
	ch := make(chan int, 1)
	ch <- 4
	t.s[0] = <-ch
	ch <- 5
	select {
	case t.s[0] = <-ch:
	}
	fmt.Println(t.s)
	f := func() (x, y int) { t.s = []int{0, 0}; return 3, 4 }
	t.s[0], t.s[1] = f()
	fmt.Println(t.s)
	t.a = fmt.Sprint(t.s[:copy(t.s, t.s)])
	fmt.Println(t.a)
}
