package randgo

import (
	"fmt"
	"strings"
)

// A shape is a piece of a program as people write it for a purpose, with all details drawn:
// statements for the program's main function, and the declarations that they need.
var shapes = []func(g *gen) []*node{
	(*gen).bitFields, (*gen).pipeline, (*gen).pointersInto, (*gen).complexOrbit, (*gen).stateMachine, (*gen).stateFuncs,
	(*gen).manyParams, (*gen).labelledLoops,
	(*gen).deferIter, (*gen).genericMethods, (*gen).changedSlice, (*gen).changedMap, (*gen).selectLoop,
	(*gen).reflection, (*gen).narrowLoop, (*gen).nilMethods,
	(*gen).misbehaving, (*gen).floatToInts, (*gen).lateOperands,
}

// someShapes returns a few shapes, each in a guard of its own.
func (g *gen) someShapes() (list []*node) {
	for range g.between(2, 4) {
		s := shapes[g.n(len(shapes))]
		list = append(list, g.guarded(nil, func() []*node { return s(g) }))
	}
	if g.has127() {
		for range g.between(1, 2) {
			s := shapes127[g.n(len(shapes127))]
			list = append(list, g.guarded(nil, func() []*node { return s(g) }))
		}
	}
	return list
}

// own generates a part of a function of its own, which sees its parameters and global variables and
// has no side effects.
func (g *gen) own(params []*variable, gen func() []*node) []*node {
	leave := g.enter(&funcCtx{}, pureCost)
	globals := g.values()
	g.pure, g.scope = true, nil
	for _, v := range globals {
		if v.global {
			g.declare(v)
		}
	}
	for _, v := range params {
		g.declare(v)
	}
	list := gen()
	leave()
	return list
}

// labelled puts a label in front of a loop if something within jumps to it.
func labelled(label string, loop *node) *node {
	var b strings.Builder
	loop.write(&b, "")
	if strings.Contains(b.String(), " "+label+"\n") {
		loop.parts[0].head = append(text{label + ":\n"}, loop.parts[0].head...)
	}
	return loop
}

// scoped returns statements in a block of their own.
func scoped(body ...*node) *node {
	return &node{parts: []part{{head: text{"{"}, body: body}}, tail: "}"}
}

// decl puts a declaration before the program's main function.
func (g *gen) decl(head string, body ...*node) {
	g.decls = append(g.decls, block(text{head}, body))
}

// ownExpr returns an expression over the given variables only.
func (g *gen) ownExpr(t *typ, d int, params ...*variable) (e *expr) {
	g.own(params, func() []*node {
		e = g.value(t, d)
		return nil
	})
	return e
}

// ownBody returns n statements of a function with the given results.
func (g *gen) ownBody(results []*typ, n int, params ...*variable) []*node {
	return g.own(params, func() []*node {
		g.fc.results = results
		return g.stmts(n)
	})
}

// mixed puts a variable's value into the checksum.
func (g *gen) mixed(t *typ, parts ...any) *node { return g.mixExpr(mk(t, parts...))[0] }

// pick returns one of several texts.
func (g *gen) pick(list ...string) string { return list[g.n(len(list))] }

func param(name string, t *typ) *variable { return &variable{name: name, typ: t} }

// bitFields packs numbers into a word by methods, including signed ones, and extracts them again.
func (g *gen) bitFields() []*node {
	w := ints[g.between(6, 10)-int(kInt)+1]
	size := w.bits()
	name := g.fresh(g.pre + "B")
	g.decls = append(g.decls, line("type "+name+" "+w.name))
	type fieldOf struct {
		get, set string
		typ      *typ
	}
	var fields []fieldOf
	for off := g.n(3); off < size; {
		n := min(g.between(1, 13), size-off)
		t := ints[g.n(len(ints))]
		f := fieldOf{g.fresh("Get"), g.fresh("Set"), t}
		m := uint64(1)<<n - 1
		get := fmt.Sprintf("return %s(b >> %d & %#x)", t.name, off, m)
		if t.isSigned() && t.bits() >= n {
			get = fmt.Sprintf("return %s(b>>%d&%#x) << %d >> %[4]d", t.name, off, m, t.bits()-n)
		}
		g.decl(fmt.Sprintf("func (b %s) %s() %s", name, f.get, t.name), line(get))
		set := fmt.Sprintf("*b = *b&^(%#x<<%d) | %s(x)&%#[1]x<<%[2]d", m, off, name)
		if g.chance(20) {
			set = fmt.Sprintf("*b ^= (*b>>%d ^ %s(x)) & %#x << %[1]d", off, name, m)
		}
		g.decl(fmt.Sprintf("func (b *%s) %s(x %s)", name, f.set, t.name), line(set))
		fields = append(fields, f)
		off += n + g.n(2)
	}
	b, i := g.fresh("b"), g.declare(&variable{name: g.fresh("i"), typ: intType, ro: true})
	list := []*node{line("var " + b + " " + name)}
	var body []*node
	for range g.between(2, 7) {
		f := fields[g.n(len(fields))]
		switch g.n(4) {
		case 0, 1:
			body = append(body, line(b+"."+f.set+"(", g.value(f.typ, 2), ")"))
		case 2:
			o := fields[g.n(len(fields))]
			body = append(body, line(b+"."+f.set+"("+f.typ.name+"("+b+"."+o.get+"()) "+g.pick("+", "-", "^",
				"*")+" "+fmt.Sprint(g.n(100))+")"))
		default:
			body = append(body, block(text{fmt.Sprintf("if %s.%s() %s %d", b, f.get, compare[g.n(6)], g.n(8))},
				[]*node{line(b + "." + f.set + "(" + fmt.Sprint(g.n(100)) + ")")}))
		}
	}
	body = append(body, line("_ = ", i.name), line("mix(uint64("+b+"))"))
	g.scope = g.scope[:len(g.scope)-1]
	list = append(list, block(text{fmt.Sprintf("for %s := range %d", i.name, g.between(2, 9))}, body))
	for _, f := range fields {
		list = append(list, line("mix(uint64("+b+"."+f.get+"()))"))
	}
	return list
}

// pipeline passes a struct from function to function, by value, by pointer and in arrays.
func (g *gen) pipeline() []*node {
	t := &typ{kind: kStruct, name: g.fresh(g.pre + "P")}
	var fields []*node
	for i := range g.between(2, 9) {
		f := field{fmt.Sprintf("f%d", i), g.randBasic()}
		if g.chance(15) {
			f.typ = arrayOf(g.between(1, 4), g.randBasic())
		}
		t.fields = append(t.fields, f)
		fields = append(fields, line(f.name+" "+f.typ.name))
	}
	g.decls = append(g.decls, block(text{"type " + t.name + " struct"}, fields))
	var calls []string
	for range g.between(2, 5) {
		name := g.fresh(g.pre + "st")
		head := fmt.Sprintf("func %s(s %s) %[2]s", name, t.name)
		if g.chance(40) {
			head = "//go:noinline\n" + head
		}
		body := g.ownBody([]*typ{t}, g.between(1, 4), param("s", t))
		if len(calls) > 0 && g.chance(40) {
			body = append(body, line("s = "+calls[g.n(len(calls))]+"(s)"))
		}
		g.decl(head, append(body, line("return s"))...)
		calls = append(calls, name)
	}
	ptr := g.fresh(g.pre + "st")
	body := g.ownBody([]*typ{t}, g.between(1, 2), param("o", t))
	g.decl(fmt.Sprintf("func %s(s *%s) %[2]s", ptr, t.name),
		append(append([]*node{line("o := *s")}, body...), line("*s, o = o, *s"), line("return o"))...)
	s := g.fresh("s")
	e := g.composite(t, 1)
	list := []*node{line(s+" := ", e), line("a" + s + " := [3]" + t.name + "{1: " + s + "}")}
	var in []*node
	for range g.between(1, 4) {
		f, h := calls[g.n(len(calls))], calls[g.n(len(calls))]
		k := g.n(3)
		in = append(in, []*node{line(s + " = " + f + "(" + h + "(" + s + "))"),
			line(fmt.Sprintf("a%s[%d] = %s(a%[1]s[%[4]d])", s, k, f, g.n(3))),
			line(fmt.Sprintf("%s, a%[1]s[%[2]d] = a%[1]s[%[2]d], %[1]s", s, k)),
			line(fmt.Sprintf("%s = %s(&a%[1]s[%[3]d])", s, ptr, k)),
			line(fmt.Sprintf("%s = func(x, y %s) %[2]s { x.%[3]s = y.%[3]s; return x }(%[1]s, a%[1]s[%[4]d])", s, t.name,
				t.fields[g.n(len(t.fields))].name, k))}[g.n(5)])
	}
	list = append(list, block(text{fmt.Sprintf("for range %d", g.between(1, 5))}, in))
	for _, f := range t.fields {
		list = append(list, g.mixed(f.typ, s+"."+f.name), g.mixed(f.typ, fmt.Sprintf("a%s[%d].%s", s, g.n(3), f.name)))
	}
	return list
}

// manyParams calls functions with more parameters and results than registers.
func (g *gen) manyParams() []*node {
	var params, results []*typ
	for range g.between(7, 22) {
		params = append(params, g.randBasic())
	}
	for range g.between(3, 9) {
		results = append(results, g.randBasic())
	}
	name := g.fresh(g.pre + "wide")
	var vars []*variable
	var in, same []string
	for i, t := range params {
		v := param(fmt.Sprintf("p%d", i), t)
		vars = append(vars, v)
		in = append(in, v.name+" "+t.name)
		same = append(same, v.name)
	}
	// The call below exchanges parameters of one type.
	for i := range same {
		for j := range i {
			if params[i].is(params[j]) && g.chance(60) {
				same[i], same[j] = same[j], same[i]
			}
		}
	}
	body := g.ownBody(results, g.between(1, 3), vars...)
	var names, blanks []string
	for i := range results {
		names, blanks = append(names, fmt.Sprintf("r%d", i)), append(blanks, "_")
	}
	list := strings.Join(names, ", ")
	first := append(body, block(text{"if n > 0"}, []*node{
		line(list + " := " + name + "(n-1, " + strings.Join(same, ", ") + ")"),
		line(strings.Join(blanks, ", "), " = "+list), g.wideReturn(results, append(vars, resultVars(results)...))}))
	g.decl(fmt.Sprintf("func %s(n int, %s)%s", name, strings.Join(in, ", "), resultList(results)),
		append(first, g.wideReturn(results, vars))...)
	call := name
	var before []*node
	switch g.n(4) {
	case 0:
		call = g.fresh("c")
		before = []*node{line(call + " := " + name)}
	case 1:
		call = g.fresh("c")
		before = []*node{line(fmt.Sprintf("%s := opaque(%s)", call, name))}
	}
	args := text{call, "(", fmt.Sprint(g.n(4))}
	for _, t := range params {
		args = append(args, ", ", g.value(t, 1))
	}
	w := g.fresh("w")
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", w, i)
	}
	before = append(before, line(strings.Join(names, ", ")+" := ", args, ")"))
	for i, t := range results {
		before = append(before, g.mixed(t, names[i]))
	}
	if g.chance(30) {
		before = append([]*node{line("defer ", args, ")")}, before...)
		if call != name {
			before[0], before[1] = before[1], before[0]
		}
	}
	return before
}

func resultVars(results []*typ) (list []*variable) {
	for i, t := range results {
		list = append(list, param(fmt.Sprintf("r%d", i), t))
	}
	return list
}

func (g *gen) wideReturn(results []*typ, vars []*variable) *node {
	n := line("return ")
	n.keep = true
	for i, t := range results {
		if i > 0 {
			n.parts[0].head = append(n.parts[0].head, ", ")
		}
		n.parts[0].head = append(n.parts[0].head, g.ownExpr(t, 1, vars...))
	}
	return n
}

// nilMethods takes and calls methods of receivers, many of them nil: interfaces, pointers, and
// promoted fields. gc must not see which type an interface holds: it would call the method itself,
// whose panic has another text than the wrapper's.
func (g *gen) nilMethods() []*node {
	t := g.randInt()
	base, face, outer, wrap := g.fresh(g.pre+"S"), g.fresh(g.pre+"I"), g.fresh(g.pre+"O"), g.fresh(g.pre+"W")
	param := &variable{name: "x", typ: t}
	fn := "func(" + t.name + ") " + t.name
	g.decls = append(g.decls,
		line(fmt.Sprintf("type %s struct { v %s; pad [%d]int }", base, t.name, g.n(4))),
		line("type "+face+" interface { Val("+t.name+") "+t.name+" }"),
		line("type "+outer+" struct { k int; "+g.pick("", "*")+base+" }"),
		line("type "+wrap+" struct { "+face+" }"))
	g.decl("func (s "+base+") Val(x "+t.name+") "+t.name,
		line("return s.v "+g.pick("+", "^", "-")+" ", g.ownExpr(t, 2, param)))
	g.decl("func (s *"+base+") Ptr(x "+t.name+") "+t.name, block(text{"if s == nil"}, []*node{line("return x")}),
		line("return s.v ^ ", g.ownExpr(t, 1, param)))
	receivers := []func() *node{
		func() *node { return line("var x " + face) },
		func() *node { return line("x := opaque(" + face + "((*" + base + ")(nil)))") },
		func() *node { return line("x := opaque(" + face + "((*" + outer + ")(nil)))") },
		func() *node { return line("x := opaque(" + face + "((*" + wrap + ")(nil)))") },
		func() *node { return line("x := opaque(" + face + "(" + wrap + "{}))") },
		func() *node { return line("x := opaque(" + face + "(&" + outer + "{k: 3}))") },
		func() *node { return line("x := "+face+"("+base+"{v: ", g.value(t, 1), "})") },
		func() *node { return line("var x *" + base) },
		func() *node { return line("var x *" + outer) },
		func() *node { return line("var x " + outer) },
		func() *node { return line("var x " + wrap) },
		func() *node { return line("x := "+wrap+"{&"+base+"{v: ", g.value(t, 1), "}}") },
	}
	var list []*node
	for range g.between(2, 6) {
		v := g.value(t, 1)
		use := [][]*node{
			{line("f := x.Val"), line("mixS(\"taken\")"), line("mix(uint64(f(", v, ")))")},
			{line("mix(uint64(x.Val(", v, ")))")},
			{line("defer x.Val(", v, ")"), line("mixS(\"deferred\")")},
			{line("defer func(f "+fn+") { mix(uint64(f(", v, "))) }(x.Val)"), line("mixS(\"passed\")")},
			{line("fs := []" + fn + "{x.Val, x.Val}"), line("mix(uint64(len(fs)))"), line("mix(uint64(fs[1](", v, ")))")},
			{line("f := " + face + ".Val"), line("mix(uint64(f(opaque("+face+"(x)), ", v, ")))")},
			{line("y, ok := opaque(any(x)).(" + face + ")"), line("mix(bit(ok))"), line("mix(uint64(y.Val(", v, ")))")},
			{block(text{"if p, ok := opaque(any(x)).(interface { Ptr(" + t.name + ") " + t.name + " }); ok"},
				[]*node{line("f := p.Ptr"), line("mix(uint64(f(", v, ")))")})},
		}
		r := receivers[g.n(len(receivers))]()
		list = append(list, g.guarded(nil, func() []*node { return append([]*node{r}, use[g.n(len(use))]...) }))
	}
	return list
}

// genericMethods has a generic type, and its methods bound, as method expressions, and called
// through constraints.
func (g *gen) genericMethods() []*node {
	name, fold, sum, boxed := g.fresh(g.pre+"G"), g.fresh(g.pre+"fold"), g.fresh(g.pre+"sum"), g.fresh(g.pre+"K")
	tp := &typ{kind: kParam, name: "T"}
	self := &variable{name: "x", typ: tp}
	expr := func(names ...string) (e *expr) {
		g.own([]*variable{self}, func() []*node {
			g.tparam, g.scope = tp, nil
			for _, n := range names {
				g.declare(param(n, tp))
			}
			e = g.value(tp, 2)
			return nil
		})
		return e
	}
	g.decls = append(g.decls, line("type "+name+"[T integer] struct { v T; n int; next *"+name+"[T] }"))
	g.decl("func (g "+name+"[T]) Get(x T) T", line("return ", expr("x", "g.v")))
	g.decl("func (g *"+name+"[T]) Add(x T) T", line("g.v "+g.pick("+", "-", "^", "*")+"= ", expr("x")), line("g.n++"),
		line("return g.v"))
	g.decl("func (g *"+name+"[T]) Push(x T) *"+name+"[T]", line("return &"+name+"[T]{x, g.n + 1, g}"))
	g.decl("func (g *"+name+"[T]) Fold(f func(T, T) T) (acc T)",
		block(text{"for c := g; c != nil; c = c.next"}, []*node{line("acc = f(acc, c.v)")}), line("return acc"))
	g.decl("func "+fold+"[T, U any](list []T, u U, f func(U, T) U) U",
		block(text{"for _, x := range list"}, []*node{line("u = f(u, x)")}), line("return u"))
	g.decls = append(g.decls, line("type "+boxed+"[T integer] interface { comparable; Get(T) T }"))
	g.decl("func "+sum+"[T integer, B "+boxed+"[T]](x T, list ...B) (acc T)",
		block(text{"for i, b := range list"}, []*node{line("f := b.Get"), line("acc += f(x)"),
			block(text{"if i > 0 && list[i-1] == b"}, []*node{line("acc++")})}), line("return acc"))
	var list []*node
	for range g.between(1, 3) {
		t, u := g.randInt(), g.randInt()
		a, b := g.fresh("g"), g.fresh("g")
		inst := name + "[" + t.name + "]"
		list = append(list, line(a+" := "+inst+"{v: ", g.value(t, 2), "}"),
			line(b+" := "+a+".Push(", g.value(t, 1), ").Push(", g.value(t, 1), "); _ = "+b))
		for range g.between(2, 5) {
			v := g.value(t, 1)
			list = append(list, scoped([][]*node{
				{line("f := " + a + ".Get; " + a + ".v++"), line("mix(uint64(f(", v, ")))")},
				{line("f := "+a+".Add; f(", v, ")"), line("mix(uint64(f(1)))")},
				{line("f := (*"+inst+").Add; mix(uint64(f("+b+", ", v, ")))")},
				{line("f := "+inst+".Get; mix(uint64(f(*"+b+", ", v, ")))")},
				{line("mix(uint64(" + b + ".Fold(" + a + ".GetAfter)))")},
				{line(fmt.Sprintf("mix(uint64(%s([]%s{1, 2, 3}, %s(%d), func(u %[3]s, x %[2]s) %[3]s { return u*3 + %[3]s(%[5]s.Get(x)) })))", fold, t.name, u.name, g.n(9), a))},
				{line(fmt.Sprintf("mix(uint64(%s[%s, %s](", sum, t.name, inst), v, ", "+a+", *"+b+", "+a+")))")},
				{line("mix(uint64(" + b + ".Fold(func(x, y " + t.name + ") " + t.name + " { return x*5 ^ y })))")},
			}[g.n(8)]...))
		}
	}
	g.decl("func (g "+name+"[T]) GetAfter(x, y T) T", line("return g.Get(x) + y"))
	return list
}
