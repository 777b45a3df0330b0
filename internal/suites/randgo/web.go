package randgo

import "fmt"

// A web is a set of functions that make cells (prelude.go), link them in every way that Go has, and
// return what they can reach: a test of escape analysis. After each call memory is overwritten
// (clobber) and the cells are walked. All names are of non-nil pointers.

// A webCtx is the function of a web that is being generated.
type webCtx struct {
	cells []string // variables that hold a *cell
	calls int      // remaining calls of earlier functions
	nest  int
}

func (w *webCtx) any(g *gen) string { return w.cells[max(g.n(len(w.cells)), g.n(len(w.cells)))] }

// add names a new variable.
func (w *webCtx) add(name string) string {
	w.cells = append(w.cells, name)
	return name
}

// webFuncs generates the functions of a web and returns their names.
func (g *gen) webFuncs() []string {
	var names []string
	for range g.between(2, 5) {
		name := g.fresh(g.pre + "web")
		w := &webCtx{cells: []string{"a", "b"}, calls: 2}
		body := g.webStmts(w, g.between(2, 8), names)
		body = append(body, line("return "+w.any(g)))
		head := fmt.Sprintf("func %s(a, b *cell, n int) *cell", name)
		if g.chance(60) {
			head = "//go:noinline\n" + head
		}
		g.decls = append(g.decls, block(text{head}, body))
		names = append(names, name)
	}
	return names
}

func (g *gen) webStmts(w *webCtx, n int, funcs []string) []*node {
	var list []*node
	for range n {
		list = append(list, g.webStmt(w, funcs)...)
	}
	return list
}

// webBody generates statements with a scope of their own.
func (g *gen) webBody(w *webCtx, n int, funcs []string) []*node {
	mark := len(w.cells)
	w.nest++
	list := g.webStmts(w, n, funcs)
	w.nest--
	w.cells = w.cells[:mark]
	return list
}

// links are the fields that hold one cell.
var links = []string{"p", "q"}

func (g *gen) webStmt(w *webCtx, funcs []string) []*node {
	x, y := w.any(g), w.any(g)
	f := links[g.n(len(links))]
	def := func(format string, args ...any) []*node {
		c := g.fresh("c")
		return []*node{line(w.add(c) + " := " + fmt.Sprintf(format, args...) + "; _ = " + c)}
	}
	// take defines a variable as x, or as something else if that exists.
	take := func(cond, from string) []*node {
		c := g.fresh("c")
		list := []*node{line(c + " := " + x + "; _ = " + c), block(text{"if " + cond}, []*node{line(c + " = " + from)})}
		w.add(c)
		return list
	}
	switch g.n(22) {
	case 0, 1, 2:
		s := fmt.Sprintf("&cell{v: n + %d", g.n(100))
		for _, l := range []string{"p: " + x, "q: " + y, "a: " + x, "box: &" + y + ".v",
			"kids: []*cell{" + x + ", " + y + "}"} {
			if g.chance(35) {
				s += ", " + l
			}
		}
		return def("%s}", s)
	case 3, 4:
		return []*node{line(x + "." + f + " = " + y)}
	case 5, 6:
		return take(x+"."+f+" != nil", x+"."+f)
	case 7:
		return []*node{block(text{"if len(" + x + ".kids) < 3"},
			[]*node{line(fmt.Sprintf("%s.kids = append(%[1]s.kids[:len(%[1]s.kids):len(%[1]s.kids)], %s)", x, y))})}
	case 8:
		return take("len("+x+".kids) > 0", x+".kids[len("+x+".kids)-1]")
	case 9:
		return []*node{line(x + ".a = " + y)}
	case 10:
		return take(fmt.Sprintf("o, ok := %s.a.(*cell); ok", x), "o")
	case 11, 12:
		results := []string{"return o", "return " + y, "return &cell{p: o, q: " + y + "}", x + ".q = o\nreturn " + y,
			"o.p = " + y + "\nreturn o", "keep = " + y + "\nreturn o"}
		fn := block(text{x + ".f = func(o *cell) *cell"},
			[]*node{line(y + ".v += o.v + n"), line(results[g.n(len(results))])})
		return []*node{fn}
	case 13:
		return take(x+".f != nil", x+".f("+y+")")
	case 14, 15:
		if len(funcs) == 0 || w.calls == 0 || w.nest > 1 {
			return nil
		}
		w.calls--
		return def("%s(%s, %s, n+%d)", funcs[g.n(len(funcs))], x, y, g.n(9))
	case 16:
		d := g.fresh("d")
		return append([]*node{line(d + " := *" + x)}, def("&%s", d)...)
	case 17:
		return []*node{line("*" + x + " = *" + y)}
	case 18:
		if g.chance(50) {
			b := g.fresh("box")
			return []*node{line(b + " := n"), line(x + ".box = &" + b)}
		}
		return []*node{block(text{"if " + x + ".box != nil"},
			[]*node{line("*" + x + ".box += 3"), line(y + ".v ^= *" + x + ".box")})}
	case 19:
		t := g.fresh("t")
		i, j := g.n(3), g.n(3)
		return append([]*node{line(fmt.Sprintf("%s := [3]*cell{%s, %s, %[2]s}", t, x, y)),
			line(fmt.Sprintf("%s[%d] = %s", t, i, w.any(g)))}, def("%s[(n&1+%d)%%3]", t, j)...)
	case 20:
		if w.nest > 1 {
			return nil
		}
		calls := w.calls
		w.calls = 0 // a loop calls nothing, to keep the work small
		last := g.fresh("c")
		body := g.webBody(w, g.between(1, 4), nil)
		body = append(body, line(last+" = &cell{p: "+last+", q: "+w.any(g)+", v: i}"))
		w.calls = calls
		list := []*node{line(last + " := " + x + "; _ = " + last),
			block(text{fmt.Sprintf("for i := range %d", g.between(1, 3))}, body)}
		w.add(last)
		return list
	}
	if w.nest > 1 {
		return nil
	}
	if g.chance(20) {
		return []*node{line("keep = " + x)}
	}
	return []*node{block(text{"if " + x + ".v&1 == 0"}, g.webBody(w, g.between(1, 3), funcs))}
}

// web calls the functions of a web and looks at the cells that they made.
func (g *gen) web() []*node {
	names := g.webFuncs()
	body := []*node{line("x, z := &cell{v: 1}, cell{v: 2}"), line("y := &z"), line("y.p = x")}
	for i := range g.between(2, 5) {
		args := [][2]string{{"x", "y"}, {"y", "x"}, {"x", "x"}, {"x", "&cell{p: y}"}}[g.n(4)]
		c := fmt.Sprintf("w%d", i)
		body = append(body, line(fmt.Sprintf("%s := %s(%s, %s, %d)", c, names[g.n(len(names))], args[0], args[1], g.n(50))),
			line("clobber(n)"), line("mix("+c+".walk(4))"))
		if g.chance(40) {
			body = append(body, line("x = "+c))
		}
	}
	body = append(body, line("mix(x.walk(4) + y.walk(4)); keep = nil"))
	name := g.fresh(g.pre + "webs")
	g.decls = append(g.decls, block(text{"func " + name + "(n int)"}, body))
	return []*node{line(fmt.Sprintf("%s(%d)", name, g.n(1000)))}
}
