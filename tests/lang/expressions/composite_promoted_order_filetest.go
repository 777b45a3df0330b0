//go:build ignore && go1.27

// Values are computed in the order of the source, whatever order the fields have.
package main

import "fmt"

type Deep struct{ a, b int }

type Mid struct {
	Deep
	c int
}

type Top struct {
	Mid
	d int
	e *int
}

func f(s string, v int) int { fmt.Print(s, " "); return v }

func try(g func() Top) {
	defer func() { fmt.Println(recover()) }()
	fmt.Println(g())
}

func main() {
	t := Top{d: f("d", 1), b: f("b", 2), c: f("c", 3), a: f("a", 4)}
	fmt.Println(t)
	t = Top{c: f("c", t.d), Deep: Deep{b: f("b", t.a), a: f("a", t.b)}, d: f("d", t.c)}
	fmt.Println(t)
	t = Top{a: t.b, b: t.a, c: t.d, d: t.c}
	fmt.Println(t)
	p := &t
	*p = Top{a: p.d, d: p.a}
	fmt.Println(t)
	list := []Top{{b: f("0b", 1), a: f("0a", 2)}, {d: f("1d", 3), c: f("1c", 4)}}
	fmt.Println(list)
	try(func() Top {
		t = Top{a: f("before", 7), b: func() int { panic("in b") }(), c: f("never", 8)}
		return t
	})
	fmt.Println(t)
	try(func() (r Top) {
		var none []int
		r = Top{c: f("c", 1), a: none[f("index", 3)]}
		return
	})
}

// Output:
// d b c a {{{4 2} 3} 1 <nil>}
// c b a d {{{2 4} 1} 3 <nil>}
// {{{4 2} 3} 1 <nil>}
// {{{1 0} 0} 4 <nil>}
// 0b 0a 1d 1c [{{{2 1} 0} 0 <nil>} {{{0 0} 4} 3 <nil>}]
// before in b
// {{{1 0} 0} 4 <nil>}
// c index runtime error: index out of range [3] with length 0
