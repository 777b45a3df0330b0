package limits

import (
	"fmt"
	"strings"
)

// A wideType is a short declaration of a type T with 2^k parts. S is the type of one of T's fields
// or elements.
type wideType struct {
	name  string
	decls func(k int) string
	part  func(k int) string           // from a T to its S
	leaf  func(k int) (string, string) // from a T to two of its parts
	one   string                       // a value of a part
	most  int                          // largest k; 0: any
}

const pairs = "type T%[2]d struct{ a, b T%[1]d }\n"

// tower declares T by floors, each of which holds the lower one twice.
func tower(ground, floor string) func(k int) string {
	return func(k int) string {
		return ground + line(k-1, floor) + fmt.Sprintf("type T T%d\ntype S = T%d\n", k-1, k-2)
	}
}

// down leads through the floors of a tower, on two paths.
func down(step, other, last string) func(k int) (string, string) {
	return func(k int) (string, string) {
		return strings.Repeat(step, k-1) + last, strings.Repeat(other, k-1) + last
	}
}

// at is the same for all k.
func at(path string) func(int) string { return func(int) string { return path } }

// flatArray declares T as an array of elements that have 2^less parts.
func flatArray(less int, elem string) func(k int) string {
	return func(k int) string { return fmt.Sprintf("type T [1<<%d]S\ntype S %s\n", k-less, elem) }
}

var wideTypes = []wideType{
	{name: "strings", decls: tower("type T0 struct{ a, b string }\n", pairs), part: at(".a"), leaf: down(".a", ".b", ".a"), one: `"one"`},
	{name: "integers", decls: tower("type T0 struct{ a, b int }\n", pairs), part: at(".b"), leaf: down(".a", ".b", ".b"), one: "1"},
	{name: "gaps", decls: tower("type T0 struct{ a int8; b int32; _ int16 }\n", pairs), part: at(".b"), leaf: down(".a", ".b", ".b"), one: "1"},
	{name: "floats", decls: tower("type T0 struct{ a, b float64 }\n", pairs), part: at(".a"), leaf: down(".a", ".b", ".b"), one: "1"},
	{name: "interfaces", decls: tower("type T0 struct{ a, b any }\n", pairs), part: at(".a"), leaf: down(".b", ".a", ".a"), one: "any(1)"},
	{name: "pointers", decls: tower("type T0 struct{ a, b *int }\n", pairs), part: at(".a"), leaf: down(".b", ".a", ".a"), one: "new(int)"},
	{name: "all sorts", decls: tower("type T0 struct{ a string; b float32; c any; d [2]complex64; e bool }\n", pairs), part: at(".a"), leaf: down(".a", ".b", ".e"), one: "true"},
	{name: "nothing", decls: tower("type T0 struct{ a, b struct{} }\n", pairs), part: at(".a"), leaf: down(".a", ".b", ".a"), one: "struct{}{}"},
	{name: "almost nothing", decls: tower("type T0 struct{ a, b [0]string }\n", "type T%[2]d struct{ a, b T%[1]d; c struct{ _ [0]any } }\n"), part: at(".a"), leaf: down(".a", ".b", ".a"), one: "[0]string{}"},
	{name: "embedded fields", decls: tower("type T0 struct{ a, b string }\n", "type A%[2]d struct{ T%[1]d }\ntype B%[2]d struct{ T%[1]d }\ntype T%[2]d struct{ A%[2]d; B%[2]d }\n"),
		part: func(k int) string { return fmt.Sprintf(".A%d.T%d", k-1, k-2) },
		leaf: func(k int) (a, b string) {
			for i := k - 1; i > 0; i-- {
				a += fmt.Sprintf(".A%d", i)
				b += fmt.Sprintf(".B%d.T%d", i, i-1)
			}
			return a + ".a", b + ".b"
		}, one: `"one"`},
	{name: "arrays of arrays", decls: tower("type T0 [2]string\n", "type T%[2]d [2]T%[1]d\n"), part: at("[1]"), leaf: down("[0]", "[1]", "[0]"), one: `"one"`},
	{name: "both", decls: tower("type T0 struct{ a, b string }\n", "type T%[2]d struct{ a [1]T%[1]d; b [1]struct{ c T%[1]d } }\n"), part: at(".a[0]"), leaf: down(".a[0]", ".b[0].c", ".a"), one: `"one"`},
	{name: "three", decls: tower("type T0 struct{ a, b uint16; c string }\n", "type T%[2]d struct{ a [2]T%[1]d; b string }\n"), part: at(".a[0]"), leaf: down(".a[0]", ".a[1]", ".a"), one: "1"},
	{name: "array", decls: flatArray(0, "string"), part: at("[1]"), leaf: func(int) (string, string) { return "[2]", "[3]" }, one: `"one"`},
	{name: "array of structs", decls: flatArray(2, "struct{ a int8; b string; c any; d float32 }"), part: at("[1]"), leaf: func(int) (string, string) { return "[2].b", "[3].b" }, one: `"one"`},
	{name: "array of bytes", decls: flatArray(0, "byte"), part: at("[1]"), leaf: func(int) (string, string) { return "[2]", "[3]" }, one: "1"},
	{name: "struct of arrays", decls: func(k int) string {
		return fmt.Sprintf("type T struct{ a [1<<%[1]d]string; b S; c [1<<%[1]d]any; d [1<<%[1]d]int8 }\ntype S = [1<<%[1]d]float64\n", k-2)
	}, part: at(".b"), leaf: func(int) (string, string) { return ".a[1]", ".a[2]" }, one: `"one"`},
	{name: "array of towers", decls: func(k int) string {
		return strings.NewReplacer("type T T", "type S T", "type S = T", "type R = T").Replace(tower("type T0 struct{ a, b string }\n", pairs)(k/2)) + fmt.Sprintf("type T [1<<%d]S\n", k-k/2)
	}, part: at("[0]"), leaf: func(k int) (string, string) {
		a, b := down(".a", ".b", ".a")(k / 2)
		return "[1]" + a, "[2]" + b
	}, one: `"one"`},
	{name: "fields", decls: func(k int) string { return "type S = string\ntype T struct {\n" + line(1<<k, "f%d string\n") + "}\n" }, part: at(".f0"), leaf: func(int) (string, string) { return ".f7", ".f8" }, one: `"one"`, most: 14},
	{name: "mixed fields", decls: func(k int) string {
		return "type S = any\ntype T struct {\n" + line(1<<(k-2), "f%d string; a%d int8; b%d float64; c%d any\n") + "}\n"
	}, part: at(".c0"), leaf: func(int) (string, string) { return ".f7", ".f8" }, one: `"one"`, most: 14},
}

// A wideUse is what a program does with values p and q of type T, in a function. PART leads from a
// T to an S, LEAF to one of its parts, OTHER to another part, and ONE is the value of a part. The
// body may set sink.
type wideUse struct{ name, decls, body string }

var wideUses = []wideUse{
	{"by value", "//go:noinline\nfunc f(x T) T { xLEAF, xOTHER = xOTHER, xLEAF; return x }", "q = f(p)"},
	{"by value, inlined", "func f(x T) T { xLEAF = xOTHER; return x }\nfunc g(x T) T { return f(f(x)) }", "q = g(f(p))"},
	{"equal", "", "pLEAF = ONE; sink = p == q; var x, y T; sink = x == y"},
	{"equal globals", "var x, y T", "sink = x == y; sink = x != p"},
	{"equal pointers", "func f(x, y *T) bool { return *x == *y }", "sink = f(&p, &q); sink = f(&p, nil2())"},
	{"equal to zero", "", "sink = p == T{}; sink = T{} != q"},
	{"equal parts", "", "sink = pPART == qPART; sink = pLEAF == qOTHER"},
	{"interface", "", "var e any = p; q = e.(T); sink = e == any(q); sink = e == any(3)"},
	{"assertion", "", "var e any = q; x, ok := e.(T); p, sink = x, ok; _, sink = e.(interface{ M() })"},
	{"type switch", "", "var e any = q; switch x := e.(type) { case S: pPART = x; case T: p = x; sink = x == q; case *T: p = *x }"},
	{"channel", "", "c := make(chan T, 2); c <- p; c <- q; q = <-c; p, sink = <-c; close(c); for x := range c { q = x }"},
	{"select", "", "c, d := make(chan T, 1), make(chan T, 1); for range 3 { select { case c <- p: case q = <-c: case x, ok := <-d: q, sink = x, ok; default: } }"},
	{"map value", "", "m := map[int]T{1: p}; m[2] = q; q = m[1]; p, sink = m[3]; for _, x := range m { p = x }; delete(m, 1)"},
	{"map key", "", "m := map[T]int{}; m[p]++; m[q] = 2; sink = m[p] == m[q]; for x := range m { p = x }; delete(m, q)"},
	{"map of interfaces", "", "m := map[any]int{}; m[p]++; m[q] = 2; sink = m[p] == m[q]"},
	{"closure", "", "f := func() T { return p }; g := func(x T) { q = x }; g(f()); x := q; h := func() T { return x }; q = h(); go func(x T) { p = x }(q)"},
	{"closure that escapes", "var fs []func() T", "x := p; fs = append(fs[:0], func() T { return x }); q = fs[0]()"},
	{"range over an array", "", "for i, x := range [3]T{p, q} { if i == 1 { p = x } }; a := [2]T{q}; for _, x := range &a { q = x }; for i := range a { a[i] = p }"},
	{"range over a slice", "", "s := []T{p, q, 2: p}; for i, x := range s { q = x; s[i] = p }"},
	{"range over a function", "func seq(yield func(T, S) bool) { var x T; _ = yield(x, xPART) && yield(x, xPART) }", "for x, y := range seq { p = x; qPART = y }"},
	{"results", "//go:noinline\nfunc f(x T) (T, error, T) { return q, nil, x }", "var err error; p, err, q = f(p); sink = err == nil"},
	{"named results", "func f(x T) (r T, err error) { defer func() { if recover() != nil { r.LEAF1 = ONE } }(); r = x; if sink { panic(1) }; return x, nil }", "q, _ = f(p)"},
	{"literals", "type U struct { a T; b *T; c []T }", "x := U{p, &T{}, []T{q, {}}}; p = x.a; y := &U{a: x.a}; q = y.a; z := [...]U{{}, 2: x}; p = z[2].a; sink = len(z) == 2"},
	{"zero values", "", "var x T; p = x; q = T{}; p = *new(T); y := new(T); *y = T{}; qLEAF = xOTHER"},
	{"generic functions", "func id[P any](x P) P { return x }\nfunc eq[P comparable](x, y P) bool { return x == y }\nfunc zero[P any]() (z P) { return }\nfunc box[P any](x P) any { return [1]P{x} }", "q = id(p); sink = eq(p, q); p = zero[T](); sink = box(p) == box(q)"},
	{"generic types", "type G[P comparable] struct { x, y P }\nfunc (g G[P]) Same() bool { return g.x == g.y }\nfunc (g *G[P]) Set(x P) { g.x, g.y = x, g.x }", "var g G[T]; g.Set(p); sink = g.Same(); q = g.y; sink = any(g) == any(G[T]{})"},
	{"method values", "type I interface { N() T }\nfunc (x T) N() T { return x }\nfunc (x *T) P() T { return *x }", "f := p.N; q = f(); g := T.N; p = g(q); h := (*T).P; q = h(&p); k := (*T).N; p = k(&q); var i I = p; q = i.N(); l := i.N; p = l()"},
	{"defer", "func f(x T, n int) { if x == q { sink = true } }\nfunc (x T) N(y T) { q = y }\nfunc g() { defer f(p, 1); defer p.N(q); for i := range 2 { defer f(q, i) }; defer func(x T) { p = x }(q) }", "g()"},
	{"go", "func f(x T, c chan T) { c <- x }\nfunc (x T) N(c chan T) { c <- x }", "c := make(chan T, 3); go f(p, c); go q.N(c); p = <-c; q = <-c; go func(x T) { c <- x }(q); p = <-c"},
	{"embedding", "type E struct { T; n int }\ntype I interface { N() bool }\nfunc (x T) N() bool { return x == p }\ntype F struct { *E }", "e := E{T: p}; f := F{&e}; q = e.T; sink = e.N(); var i I = f; sink = i.N(); i = e; sink = i.N(); p = f.T"},
	{"swap", "", "p, q = q, p; a := [2]T{p, q}; a[0], a[1] = a[1], a[0]; p = a[1]"},
	{"choices", "func f(n int) (x T) { y := p; for i := range n { if i&1 == 0 { x = y } else if i == 3 { y, x = x, y } else { y = q } }; return x }", "q = f(3); switch x := q; { case sink: p = x; default: p = T{} }"},
	{"many choices", "func f(n int) { " + line(60, "x%d := p; if n == %d { x%d = q }; q = x%d; ") + "}", "f(n)"},
	{"elements", "", "var a [4]T; i := n & 3; a[i] = p; q = a[i^1]; s := a[:]; s[i] = q; p = s[3]; sink = a[i] == a[3]"},
	{"slices", "func f(x ...T) int { return len(x) }", "s := append([]T(nil), p, q); s = append(s, s...); n = copy(s, s[1:]); clear(s[:1]); n = f(p, q, p); p = s[1]; q = [2]T(s)[1]; s = make([]T, 3); q = s[n%3]"},
	{"panic", "func f(x T) { defer func() { if r, ok := recover().(T); ok { q = r } }(); panic(x) }", "f(p)"},
	{"initialisers", "var a = T{}\nvar b = f(a)\nvar c = [...]T{a, b, 2: T{}}\nvar d = map[int]T{1: a, 2: b}\nvar e any = b\nfunc f(x T) T { xLEAF = ONE; return x }", "p, q = a, b; p = c[2]; q = d[1]; p = e.(T)"},
	{"conversions", "type U T\ntype V struct { T `tag` }\ntype W struct { T `other` }", "u := U(p); q = T(u); w := W(V{T: q}); p = w.T; sink = any(u) == any(U(q))"},
	{"switch", "", "switch p { case q: sink = true; case T{}: p = q; default: sink = false }"},
	{"pointers", "func f(x *T, y **T) { *x = **y; **y = T{}; *y = x }\ntype N struct { T T; next *N }", "x := &p; f(&q, &x); p = *x; l := &N{next: &N{T: p}}; q = l.next.T; l.T = *x; unused = &l.T"},
	{"leaves", "func f(x T) int { k := 0; if xLEAF == xOTHER { k++ }; xLEAF = ONE; if xLEAF != xOTHER { k++ }; return k }", "var x T; xLEAF = ONE; y := x; yOTHER = xLEAF; z := y; n = f(x) + f(z); y.PART1 = z.PART1"},
	{"locals", "//go:noinline\nfunc f(x *T) *T { return x }", "x := p; y := *f(&x); z := [2]T{x, y}; u := *f(&z[n&1]); v := struct{ t T; n int }{u, n}; q = v.t; p = *f(&v.t)"},
	{"exported", "func Send(x T, s []T, m map[string]T) (T, error) { return x, nil }\nfunc Keep(x *T) { p = *x }\nfunc Any(f func(T) T) { q = f(p) }", "q, _ = Send(p, nil, nil); Keep(&q); Any(func(x T) T { return x })"},
	{"parts", "", "x := pPART; qPART = x; y := [3]S{x, qPART}; pPART = y[n&1]; sink = y == [3]S{}; e := any(x); qPART = e.(S)"},
}

// wideProgram returns a program that declares a type of 2^k parts and uses it.
func wideProgram(t *wideType, k int, uses []wideUse) string {
	leaf, other := t.leaf(k)
	part := t.part(k)
	words := strings.NewReplacer(".LEAF1", leaf, ".PART1", part, "LEAF", leaf, "OTHER", other, "PART", part, "ONE", t.one)
	var b strings.Builder
	main := "main"
	if len(uses) == 1 && uses[0].name == "exported" {
		main = "Run"
		b.WriteString("package lib\n")
	} else {
		b.WriteString("package main\n")
	}
	b.WriteString(t.decls(k) + "var p, q T\nvar sink bool\nvar n int\nvar unused any\nfunc nil2() *T { return &q }\n")
	b.WriteString(words.Replace(each(len(uses), func(i int) string { return uses[i].decls + "\n" })))
	b.WriteString(words.Replace(each(len(uses), func(i int) string { return fmt.Sprintf("func use%d() { %s }\n", i, uses[i].body) })))
	b.WriteString("func " + main + "() { for range 3 { " + each(len(uses), func(i int) string { return fmt.Sprintf("use%d(); ", i) }) + " } }\n")
	return b.String()
}
