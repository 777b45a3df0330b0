package order

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// A Case is one expression in its statement.
type Case struct {
	Statement string   // its kind
	Operands  []string // the kinds of its operands
	Variables string   // the kind of its variables
	text      string
	decl      string // a function, and the variables if they are the package's
	call      string
}

// Text returns the statement.
func (c *Case) Text() string { return c.text }

// A shape is a kind of statement or of operand.
type shape struct {
	name string
	text string
	of   string // the type of an operand
	// panics says that an operand panics. A statement has at most one such operand, because the
	// order of two panics is another matter. For a statement panics says that it may have none,
	// because gc does a part of it before.
	panics bool
}

// all are the variables of a case, in the order of their declarations: name, type, value, changed
// value. K is the integer type, n the number of calls so far.
var all = [][4]string{
	{"x", "K", "2", "$x*3 + 1"},
	{"y", "K", "5", "$y + 7"},
	{"zero", "K", "0", "$zero"},
	{"z", "K", "1", "0"},
	{"bo", "bool", "true", "!$bo"},
	{"s", "[]K", "[]K{1, 2, 3, 4}", "[]K{$x, 20 + n, 30 + n, 40 + n}"},
	{"arr", "[4]K", "[4]K{5, 6, 7, 8}", "[4]K{50 + n, 60 + n, 70 + n, 80 + n}"},
	{"p", "*K", "ref(K(9))", "ref(90 + n)"},
	{"st", "T[K]", "T[K]{1, 2}", "T[K]{100 + n, 200 + n}"},
	{"ps", "*T[K]", "&T[K]{3, 4}", "&T[K]{300 + n, 400 + n}"},
	{"w", "W[K]", "W[K]{2}", "W[K]{n}"},
	{"m", "map[K]K", "map[K]K{1: 10, 2: 20, 5: 50}", "map[K]K{1: 100 + n, 2: 200 + n, 7: 700 + n, 12: 1200 + n}"},
	{"mt", "map[T[K]]K", "map[T[K]]K{{1, 2}: 3, {2, 5}: 4}", "map[T[K]]K{{1, 2}: 30 + n, {2, 5}: 40 + n, {7, 12}: 50 + n, {100 + n, 200 + n}: 60 + n}"},
	{"mw", "map[W[K]]K", "map[W[K]]K{{1}: 3, {2}: 4}", "map[W[K]]K{{1}: 30 + n, {2}: 40 + n, {7}: 50 + n, {n}: 60 + n}"},
	{"ma", "map[any]K", "map[any]K{K(1): 3, K(2): 4, T[K]{1, 2}: 5}", "map[any]K{K(1): 30 + n, K(2): 40 + n, K(7): 50 + n, T[K]{1, 2}: 60 + n, T[K]{100 + n, 200 + n}: 70 + n}"},
	{"mb", "map[uint8]K", "map[uint8]K{2: 3, 5: 4}", "map[uint8]K{2: 30 + n, 5: 40 + n, 7: 50 + n, 12: 60 + n}"},
	{"ms", "map[string]K", "map[string]K{\"ab\": 3, \"c\": 4}", "map[string]K{\"ab\": 30 + n, \"c\": 40 + n, \"ab!\": 50 + n}"},
	{"mst", "map[K]T[K]", "map[K]T[K]{1: {1, 3}, 2: {2, 5}}", "map[K]T[K]{1: {10 + n, 3}, 2: {20 + n, 5}, 7: {70 + n, 5}}"},
	{"mps", "map[K]*T[K]", "map[K]*T[K]{1: {1, 3}, 2: {2, 5}}", "map[K]*T[K]{1: {10 + n, 3}, 2: {20 + n, 5}, 7: {70 + n, 5}}"},
	{"msl", "map[K][]K", "map[K][]K{1: {1, 3}, 2: {2, 5}}", "map[K][]K{1: {10 + n, 3}, 2: {20 + n, 5}, 7: {70 + n, 5}}"},
	{"e", "any", "K(4)", "K(400 + n)"},
	{"et", "any", "T[K]{4, 5}", "T[K]{400 + n, 500 + n}"},
	{"ep", "any", "&T[K]{6, 7}", "&T[K]{600 + n, 700 + n}"},
	{"str", "string", `"ab"`, `$str + "!"`},
	{"bs", "[]byte", `[]byte("cd")`, `append([]byte("x"), $bs...)`},
	{"fn", "func(K) K", "plus[K]", "minus[K]"},
	{"iv", "I[K]", "T[K]{8, 9}", "&T[K]{800 + n, 900 + n}"},
	{"ch", "chan K", "filled[K](11, 12, 13)", "filled(110+n, 120+n, 130+n)"},
	{"fl", "float64", "2.5", "$fl + 10"},
	{"cx", "complex128", "3 + 4i", "$cx + 10"},
	{"big", "B[K]", "B[K]{1, 2}", "B[K]{10 + n, 20 + n}"},
	{"nest", "N[K]", "N[K]{T: T[K]{1, 2}, P: &W[K]{3}}", "N[K]{T: T[K]{10 + n, 20 + n}, P: &W[K]{30 + n}}"},
	{"none", "*T[K]", "nil", "nil"},
	{"ss", "[][]K", "[][]K{{1, 2}, {3, 4}}", "[][]K{{10 + n, 20 + n}, {30 + n, 40 + n}}"},
	{"u", "uint8", "2", "$u + 5"},
}

// changed are the changes, besides the variables, to what they refer to.
var changed = map[string]string{
	"s": "$s[0]++", "p": "*$p += 2", "ps": "$ps.a += 3", "m": "$m[2] += 4", "ss": "$ss[1][1] += 5", "bs": "$bs[0]++", "mps": "$mps[2].a += 6",
}

// prelude is shared by all cases.
const prelude = `package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

type T[K ~int] struct{ a, b K }
type W[K ~int] struct{ a K }
type B[K ~int] [20]K
type N[K ~int] struct {
	T[K]
	P *W[K]
}
type I[K ~int] interface{ V(K) K }
type KI int

func (t T[K]) V(k K) K  { say("V", t.a, k); return t.a + k }
func (t *T[K]) Ptr(k K) K { say("Ptr", t.a, k); t.b++; return t.a - k }
func (t T[K]) Get() T[K] { say("Get", t.a); return t }
func (w *W[K]) Set(k K) K { say("Set", k); w.a = k; return k }

func ref[K any](k K) *K { return &k }
func plus[K ~int](k K) K { say("plus", k); return k + 1 }
func minus[K ~int](k K) K { say("minus", k); return k - 1 }
func filled[K any](list ...K) chan K {
	c := make(chan K, 8)
	for _, k := range list {
		c <- k
	}
	return c
}

//go:noinline
func g[K any](list ...K) K { say("g", list); return list[0] }

func h[K any](a, b K) K { say("h", a, b); return b }

//go:noinline
func g2[A, B any](a A, b B) { say("g2", a, b) }

//go:noinline
func g3[A, B, C any](a A, b B, c C) { say("g3", a, b, c) }

func small[A, B any](a A, b B) A { return a }

//go:noinline
func both(a, b any) { say("both", a, b) }

func toInt[K ~int](b bool) K {
	if b {
		return 1
	}
	return 0
}

func seq[K ~int](k ...K) func(func(K) bool) {
	return func(yield func(K) bool) {
		for _, k := range k {
			if !yield(k) {
				return
			}
		}
	}
}

var trace strings.Builder

func say(list ...any) {
	for _, x := range list {
		show(x)
	}
	trace.WriteString("; ")
}

func show(x any) {
	switch x := x.(type) {
	case *T[int]:
		fmt.Fprint(&trace, " &", deref(x))
	case *T[KI]:
		fmt.Fprint(&trace, " &", deref(x))
	case N[int]:
		fmt.Fprint(&trace, " ", x.T, deref(x.P))
	case N[KI]:
		fmt.Fprint(&trace, " ", x.T, deref(x.P))
	case map[int]*T[int]:
		fmt.Fprint(&trace, " ", len(x), deref(x[1]), deref(x[2]), deref(x[7]))
	case map[KI]*T[KI]:
		fmt.Fprint(&trace, " ", len(x), deref(x[1]), deref(x[2]), deref(x[7]))
	case *int:
		fmt.Fprint(&trace, " &", *x)
	case *KI:
		fmt.Fprint(&trace, " &", *x)
	case *[]int:
		fmt.Fprint(&trace, " &", *x)
	case *[]KI:
		fmt.Fprint(&trace, " &", *x)
	case map[any]int:
		showMap(x)
	case map[any]KI:
		showMap(x)
	case chan int:
		fmt.Fprint(&trace, " chan", len(x))
	case chan KI:
		fmt.Fprint(&trace, " chan", len(x))
	case func(int) int:
		show(x(1))
	case func(KI) KI:
		show(x(1))
	default:
		fmt.Fprint(&trace, " ", x)
	}
}

// showMap shows a map of which fmt sorts the keys by the addresses of their types.
func showMap[X any](m map[any]X) {
	var list []string
	for k, v := range m {
		list = append(list, fmt.Sprintf("%T %v: %v", k, k, v))
	}
	slices.Sort(list)
	fmt.Fprint(&trace, " ", list)
}

func deref[X any](p *X) any {
	if p == nil {
		return "nil"
	}
	return *p
}

func run(n int, f func()) {
	trace.Reset()
	f()
	fmt.Fprintln(os.Stdout, n, trace.String())
}
`

// A generator draws a case.
type generator struct {
	r      *rand.Rand
	kind   string
	picked []string
	panics bool
	calls  int
}

// Kinds of variables.
const (
	captured  = "captured by a function literal"
	addressed = "local, with their addresses taken"
	field     = "fields, by a pointer"
	value     = "fields of a captured struct"
	global    = "of the package"
	generic   = "captured, in a generic function"
	unchanged = "local, changed by nobody"
	result    = "results with names"
)

var kinds = []string{captured, addressed, field, value, global, generic, unchanged, result}

// Generate returns the case with a number and a seed.
func Generate(seed uint64, n int) *Case {
	g := &generator{r: rand.New(rand.NewPCG(seed, uint64(n)))}
	// All kinds of statements come before one is repeated, with another kind of variables.
	round, at := n/len(statements), n%len(statements)
	g.kind = kinds[(at+round)%len(kinds)]
	stmt := statements[at]
	for g.calls == 0 {
		g.picked, g.panics = nil, stmt.panics
		text := g.fill(stmt.text, 0)
		if g.calls > 0 {
			return g.finish(n, stmt.name, text)
		}
	}
	panic("unreachable")
}

var hole = regexp.MustCompile(`\{(\w+)\}`)

// fill fills the holes of a shape: {f} and the like are calls, others operands of the named type.
func (g *generator) fill(text string, depth int) string {
	return hole.ReplaceAllStringFunc(text, func(s string) string {
		name := s[1 : len(s)-1]
		if c, ok := calls[name]; ok {
			g.calls++
			return c
		}
		var list []shape
		for _, o := range operands {
			if o.of == name && (!o.panics || !g.panics && g.r.IntN(2) == 0) && (depth < 2 || !strings.Contains(o.text, "{")) {
				list = append(list, o)
			}
		}
		o := list[g.r.IntN(len(list))]
		g.panics = g.panics || o.panics
		g.picked = append(g.picked, o.name)
		return g.fill(o.text, depth+1)
	})
}

// calls are the calls that change variables.
var calls = map[string]string{
	"f":    "f()",
	"fb":   "(f() > 0)",
	"fB":   "fb()",
	"fs":   "fs()",
	"fa":   "fa()",
	"ft":   "ft()",
	"fsl":  "fsl()",
	"ftwo": "ftwo()",
}

var variable = regexp.MustCompile(`\$(\w+)`)

// finish returns the case with a statement.
func (g *generator) finish(n int, name, text string) *Case {
	c := &Case{Statement: name, Operands: g.picked, Variables: g.kind, call: fmt.Sprintf("run(%d, case%d)", n, n)}
	access, changing := "$1", "$1"
	var b strings.Builder
	params, results := "", ""
	switch g.kind {
	case field:
		access, changing = "q.$1", "q.$1"
	case value:
		access, changing = "v.$1", "v.$1"
	case global:
		access = fmt.Sprintf("v%d$1", n)
		changing = access
	case addressed:
		changing = "(*at.$1)"
	case generic:
		params = "[K ~int]"
		c.call = fmt.Sprintf("run(%d, case%d[KI])", n, n)
	}
	var variables [][4]string // those of the statement, and x, which changes the others
	for _, v := range all {
		if v[0] == "x" || slices.ContainsFunc(variable.FindAllString(text, -1), func(s string) bool { return s == "$"+v[0] }) {
			variables = append(variables, v)
		}
	}
	var decls, fields, pointers, addresses, names, inner, change []string
	for _, v := range variables {
		if c := changed[v[0]]; c != "" {
			inner = append(inner, c)
		}
		decls = append(decls, "var "+v[0]+" "+v[1]+" = "+v[2])
		fields = append(fields, v[0]+" "+v[1])
		pointers = append(pointers, v[0]+" *"+v[1])
		addresses = append(addresses, "&"+v[0])
		names = append(names, "$"+v[0])
		change = append(change, "$"+v[0]+" = "+v[3])
	}
	changes := strings.Join(append(inner, change...), "; ")
	if g.kind == global {
		for _, v := range variables {
			fmt.Fprintf(&b, "var v%d%s %s = %s\n", n, v[0], v[1], v[2])
		}
	}
	if g.kind == result {
		results = "(" + strings.Join(fields, ", ") + ")"
		fmt.Fprintf(&b, "func case%d() { inner%d() }\nfunc inner%d() %s {\n", n, n, n, results)
		for _, v := range variables {
			fmt.Fprintf(&b, "\t%s = %s\n", v[0], v[2])
		}
	} else {
		fmt.Fprintf(&b, "func case%d%s() {\n", n, params)
	}
	values := func(assign string) {
		for _, v := range variables {
			fmt.Fprintf(&b, "\t%s.%s = %s\n", assign, v[0], v[2])
		}
	}
	switch g.kind {
	case captured, unchanged, generic:
		fmt.Fprintf(&b, "\t%s\n", strings.Join(decls, "\n\t"))
	case addressed:
		fmt.Fprintf(&b, "\t%s\n", strings.Join(decls, "\n\t"))
		fmt.Fprintf(&b, "\tat := struct{ %s }{%s}\n", strings.Join(pointers, "; "), strings.Join(addresses, ", "))
	case field:
		fmt.Fprintf(&b, "\tq := new(struct{ %s })\n", strings.Join(fields, "; "))
		values("q")
	case value:
		fmt.Fprintf(&b, "\tvar v struct{ %s }\n", strings.Join(fields, "; "))
		values("v")
	}
	fmt.Fprintf(&b, "\tvar n K\n\tchange := func() {\n\t\tn++\n\t\tsay(\"f\", n)\n")
	if g.kind != unchanged {
		fmt.Fprintf(&b, "\t\t%s\n", variable.ReplaceAllString(changes, changing))
	}
	b.WriteString("\t}\n")
	for _, f := range functions {
		if strings.Contains(text, f[0]+"()") || f[0] == "f" {
			fmt.Fprintf(&b, "\t%s := func() %s { change(); return %s }\n", f[0], f[1], f[2])
		}
	}
	b.WriteString("\t_ = f\n")
	fmt.Fprintf(&b, "\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\tsay(\"panic\", r)\n\t\t}\n\t\tsay(%s)\n\t}()\n", variable.ReplaceAllString(strings.Join(names, ", "), access))
	c.text = variable.ReplaceAllString(text, access)
	fmt.Fprintf(&b, "\t%s\n", c.text)
	if g.kind == result {
		b.WriteString("\treturn\n")
	}
	b.WriteString("}\n")
	c.decl = b.String()
	if g.kind != generic {
		c.decl = integer.ReplaceAllString(c.decl, "int")
	}
	return c
}

var integer = regexp.MustCompile(`\bK\b`)

// functions are the functions that a case calls: name, result, value.
var functions = [][3]string{
	{"f", "K", "n"},
	{"fb", "bool", "n == 1"},
	{"fs", "string", `fmt.Sprint("s", n)`},
	{"fa", "any", "n"},
	{"ft", "T[K]", "T[K]{n, n + 1}"},
	{"fsl", "[]K", "[]K{n, n + 1, n + 2}"},
	{"ftwo", "(K, K)", "n, n + 1"},
}

// Source returns a program of cases.
func Source(list []*Case) string {
	var b strings.Builder
	b.WriteString(prelude)
	for _, c := range list {
		b.WriteString("\n" + c.decl)
	}
	b.WriteString("\nfunc main() {\n")
	for _, c := range list {
		b.WriteString("\t" + c.call + "\n")
	}
	b.WriteString("}\n")
	return b.String()
}
