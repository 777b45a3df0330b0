package randgo

import (
	"fmt"
	"strings"
)

// stateMachine is a loop with a switch over a state; it reads bytes.
func (g *gen) stateMachine() []*node {
	n, loop := g.between(3, 9), g.fresh("L")
	t := g.randInt()
	acc := g.declare(&variable{name: g.fresh("v"), typ: t})
	g.declare(&variable{name: "c", typ: byteType, ro: true})
	g.declare(&variable{name: "i", typ: intType, ro: true})
	defer func() { g.scope = g.scope[:len(g.scope)-3] }()
	mult := g.mult
	g.mult *= 30
	defer func() { g.mult = mult }()
	sw := &node{tail: "}", parts: []part{{head: text{"switch state {"}}}}
	step := func() *node {
		return []*node{
			line(fmt.Sprintf("state = %d", g.n(n))), line("state++"), line(fmt.Sprintf("state = (state + int(c)) %% %d", n)),
			line(acc.name, " += ", g.value(t, 2)), line(acc.name, " ^= "+t.name+"(c)"), line("mark = i"),
			line("mix(uint64(i - mark))"), line("state, last = last, state"),
			line(acc.name + " = " + acc.name + "*31 + " + t.name + "(state)"),
		}[g.n(9)]
	}
	for k := range n {
		if g.chance(8) {
			continue // a state without a case
		}
		var body []*node
		in := &node{tail: "}", parts: []part{{head: text{"switch {"}}}}
		for range g.between(1, 4) {
			test := []text{{"c " + compare[g.n(6)] + " '" + string(rune('a'+g.n(26))) + "'"},
				{fmt.Sprintf("c-'a' < %d", g.between(1, 20))}, {fmt.Sprintf("c&%d == %d", g.between(1, 15), g.n(4))},
				{g.cond()}}[g.n(4)]
			p := part{head: append(append(text{"case "}, test...), ":"), body: []*node{step()}}
			if g.chance(40) {
				p.body = append(p.body, step())
			}
			if g.chance(30) {
				p.body = append(p.body, line(g.pick("continue ", "break ", "continue ", "continue ")+loop))
			}
			in.parts = append(in.parts, p)
		}
		if g.chance(60) {
			in.parts = append(in.parts, part{text{"default:"}, []*node{step()}})
		}
		body = append(body, in)
		if g.chance(40) {
			body = append(body, step())
		}
		if g.chance(20) && k < n-1 {
			body = append(body, line("fallthrough"))
		}
		sw.parts = append(sw.parts, part{text{fmt.Sprintf("case %d:", k)}, body})
	}
	// The last case must not fall through.
	last := &sw.parts[len(sw.parts)-1]
	if k := len(last.body); k > 0 && len(sw.parts) > 1 && fmt.Sprint(last.body[k-1].parts[0].head...) == "fallthrough" {
		last.body = last.body[:k-1]
	}
	if len(sw.parts) > 1 { // sw.parts[0] is the switch itself
		last.body = append(last.body, line("_ = 0"))
	}
	sw.parts = append(sw.parts, part{text{"default:"}, []*node{line("state = 0")}})
	input := []string{`"the quick brown fox jumps over the lazy dog"`, `"aabbcabcaccabbbaacbcab"`,
		`strings.Repeat("azby", 7)`, `"\x00a\xffz1234 {}[]"`}[g.n(4)]
	f := block(text{"for i := 0; i < len(in); i++"}, []*node{line("c := in[i]; _ = c"), sw})
	if g.chance(30) {
		f.parts[0].body = append([]*node{line("turns++"), block(text{"if turns > 200"}, []*node{line("break")}),
			block(text{"if state == 1 && turns&7 == 0"}, []*node{line("i--; state = 2; continue")})}, f.parts[0].body...)
	}
	return []*node{line("var " + acc.name + " " + t.name),
		line("state, last, mark, turns := 0, 1, 0, 0; _, _, _ = last, mark, turns"), line("in := " + input),
		labelled(loop, f),
		line("mix(uint64(" + acc.name + ")); mix(uint64(state))")}
}

// stateFuncs is a state machine whose states are functions that return the next one.
func (g *gen) stateFuncs() []*node {
	m, f := g.fresh(g.pre+"M"), g.fresh(g.pre+"F")
	t, u := g.randInt(), g.randBasic()
	g.decls = append(g.decls, line("type "+m+" struct { in []byte; at, left int; acc "+t.name+"; u "+u.name+" }"),
		line("type "+f+" func(*"+m+") "+f))
	n := g.between(2, 5)
	names := make([]string, n)
	for i := range names {
		names[i] = g.fresh(g.pre + "state")
	}
	self := &variable{name: "s", typ: &typ{kind: kStruct, name: m, fields: []field{{"acc", t}, {"u", u}, {"at", intType}}}}
	for _, name := range names {
		body := []*node{block(text{"if s.at >= len(s.in) || s.left <= 0"}, []*node{line("return nil")}),
			line("c := s.in[s.at]; s.at++; s.left--; _ = c")}
		for range g.between(1, 3) {
			body = append(body, block(text{"if c" + g.pick("&1 == 0", " > 'm'", "%3 == 1", " < 'e'")},
				[]*node{line("s.acc = ", g.ownExpr(t, 2, self)), line("return " + g.pick(append(names, "("+f+")(nil)")...))}))
		}
		body = append(body, line("s.u = ", g.ownExpr(u, 2, self)), line("return "+g.pick(names...)))
		g.decl("func "+name+"(s *"+m+") "+f, body...)
	}
	return []*node{line("s := " + m + "{in: []byte(\"abracadabra, simsalabim\"), left: 50}"),
		line("for f := " + f + "(" + names[0] + "); f != nil; f = f(&s) {}"),
		line("mix(uint64(s.acc)); mix(uint64(s.at))"), g.mixed(u, "s.u")}
}

// labelledLoops are nested loops that jumps leave at all depths, also out of switches and selects.
func (g *gen) labelledLoops() []*node {
	t := g.randInt()
	acc := g.declare(&variable{name: g.fresh("v"), typ: t})
	mark := len(g.scope) - 1
	mult := g.mult
	defer func() { g.scope, g.mult = g.scope[:mark], mult }()
	var labels []string
	jump := func() *node {
		l := labels[g.n(len(labels))]
		return line(g.pick("continue ", "break ", "continue ") + l)
	}
	var nest func(depth int) *node
	nest = func(depth int) *node {
		n := g.between(2, 6)
		i := g.declare(&variable{name: g.fresh("i"), typ: intType, ro: true, bound: n})
		labels = append(labels, g.fresh("L"))
		label := labels[len(labels)-1]
		g.mult *= n
		head := []string{fmt.Sprintf("for %s := range %d", i.name, n),
			fmt.Sprintf("for %s := 0; %[1]s < %d; %[1]s++", i.name, n), fmt.Sprintf("for %s := range opaque(%d)", i.name, n),
			fmt.Sprintf("for %s := range [%d]struct{}{}", i.name, n), fmt.Sprintf("for %s := range upTo(%d)", i.name, n)}[g.n(5)]
		body := []*node{line("_ = ", i.name)}
		for range g.between(2, 4) {
			switch g.n(6) {
			case 0:
				body = append(body, line(acc.name, " = ", acc.name, "*7 + ", g.value(t, 2)))
			case 1:
				body = append(body, block(text{"if ", g.cond()}, []*node{jump()}))
			case 2:
				sw := &node{tail: "}", parts: []part{{head: text{"switch ", g.operand(intType, 1), " & 3 {"}}}}
				for k := range 3 {
					sw.parts = append(sw.parts, part{text{fmt.Sprintf("case %d:", k)},
						[]*node{[]*node{jump(), line(acc.name + "++"), line("break")}[g.n(3)]}})
				}
				body = append(body, sw)
			case 3:
				ch := g.fresh("ch")
				body = append(body, line(ch+" := make(chan int, 1)"), block(text{"if ", g.cond()}, []*node{line(ch + " <- 1")}),
					&node{tail: "}", parts: []part{{head: text{"select {"}},
						{text{"case <-" + ch + ":"}, []*node{[]*node{jump(), line("break")}[g.n(2)]}},
						{text{"default:"}, []*node{line(acc.name + "--")}}}})
			case 4:
				if depth < 3 {
					body = append(body, nest(depth+1))
				}
			default:
				body = append(body, line("defer mix(uint64("+acc.name+"))"))
			}
		}
		labels = labels[:len(labels)-1]
		g.scope = g.scope[:len(g.scope)-1]
		return labelled(label, block(text{head}, body))
	}
	n := nest(0)
	return []*node{line("var " + acc.name + " " + t.name), n, line("mix(uint64(" + acc.name + "))")}
}

// deferIter has iterators that defer, and a function whose loop bodies over them defer, return,
// panic and jump.
func (g *gen) deferIter() []*node {
	t := g.randInt()
	seq, user := g.fresh(g.pre+"seq"), g.fresh(g.pre+"iter")
	n, k := &variable{name: "n", typ: intType, ro: true}, &variable{name: "i", typ: intType, ro: true}
	yield := []*node{block(text{"if !yield(i, ", g.ownExpr(t, 2, n, k), ")"},
		[]*node{line(g.pick("mix(3); return", "return", "mixS(\"stop\"); return"))})}
	body := []*node{line(g.pick("defer mixS(\"end\")", "defer func() { mix(uint64(n)) }()", "mix(4)",
		"defer func() { if e := recover(); e != nil { mixS(panicText(e)); panic(e) } }()"))}
	body = append(body, block(text{"for i := range n"}, yield), line("mix(5)"))
	g.decl(fmt.Sprintf("func %s(n int) iter.Seq2[int, %s]", seq, t.name),
		block(text{"return func(yield func(int, " + t.name + ") bool)"}, body))
	res := &variable{name: "res", typ: t}
	x, j := &variable{name: "x", typ: t, ro: true}, &variable{name: "j", typ: intType, ro: true}
	leave := func() *node {
		cond := g.ownExpr(boolType, 2, n, res, x, j)
		return block(text{"if ", cond}, []*node{[]*node{line("continue outer"), line("break outer"),
			line("return ", g.ownExpr(t, 1, n, res, x)), line("panic(int64(x))"), line("continue"), line("break")}[g.n(6)]})
	}
	some := func() (list []*node) {
		for range g.between(1, 3) {
			list = append(list, []*node{leave(), line("res = ", g.ownExpr(t, 2, res, x, j)),
				block(text{"if x&3 == 1"}, []*node{line("defer func() { res = res*3 + x }()")}), line("defer mix(uint64(res))"),
				line("res += x")}[g.n(5)])
		}
		return list
	}
	over := func() string {
		return fmt.Sprintf("%s(%s)", seq, g.pick("3", "n%5", "opaque(4)", "int(uint8(x)%4)"))
	}
	inner := block(text{"for j, x := range " + over()}, append([]*node{line("_, _ = j, x")}, some()...))
	if g.chance(30) {
		inner = block(text{"for j := range 3"}, append([]*node{line("_ = j")}, some()...))
	}
	rounds := append(append([]*node{line("j := 0; _, _, _ = i, x, j")}, some()...), inner)
	rounds = append(rounds, some()...)
	all := []*node{block(text{"outer:\nfor i, x := range " + strings.ReplaceAll(over(), "int(uint8(x)%4)", "n&3")},
		append(rounds, block(text{"if i > 100"}, []*node{line("continue outer")}))), line("return res * 2")}
	first := []*node{[]*node{line("defer guard(\"iter\")"),
		line("defer func() { if e := recover(); e != nil { mixS(panicText(e)); res++ } }()"),
		line("defer func() { res ^= 5 }()")}[g.n(3)]}
	g.decl(fmt.Sprintf("func %s(n int) (res %s)", user, t.name), append(first, all...)...)
	var list []*node
	for range g.between(1, 4) {
		list = append(list, line(fmt.Sprintf("mix(uint64(%s(%d)))", user, g.n(9))))
	}
	if g.chance(30) {
		list = append(list, line(fmt.Sprintf("next, stop := iter.Pull2(%s(%d)); defer stop()", seq, g.n(5))),
			block(text{fmt.Sprintf("for range %d", g.between(1, 6))},
				[]*node{line("i, x, ok := next()"), line("mix(uint64(i)); mix(uint64(x)); mix(bit(ok))")}))
	}
	return list
}

// selectLoop receives from channels until all are closed, and adds the values up.
func (g *gen) selectLoop() []*node {
	t := g.randInt()
	i := &variable{name: "i", typ: intType, ro: true}
	var list, cases []*node
	sel := &node{tail: "}", parts: []part{{head: text{"select {"}}}}
	open := ""
	for k := range g.between(1, 4) {
		ch := fmt.Sprintf("c%d", k)
		n := g.n(7)
		list = append(list, line(fmt.Sprintf("%s := make(chan %s, %d)", ch, t.name, g.n(4))),
			func() *node {
				nd := block(text{"go func(c chan<- " + t.name + ")"},
					[]*node{line("defer close(c)"), block(text{fmt.Sprintf("for i := range %d", n)},
						[]*node{line("c <- ", g.ownExpr(t, 2, i), " + "+t.name+"(i)")})})
				nd.tail = "}(" + ch + ")"
				return nd
			}())
		got := block(text{"if !ok"}, []*node{line(ch + " = nil; " + g.pick("continue", "break", "closed++; continue"))})
		sel.parts = append(sel.parts, part{text{"case x, ok := <-" + ch + ":"},
			[]*node{got, line(fmt.Sprintf("acc %s= x * %d", g.pick("+", "+", "^"), 2*k+1))}})
		if k > 0 {
			open += " || "
		}
		open += ch + " != nil"
	}
	if g.chance(40) {
		sel.parts = append(sel.parts, part{text{"default:"}, []*node{line("runtime.Gosched()")}})
	}
	if g.chance(40) {
		// A case that sends to a counting receiver.
		list = append(list, line("out, total := make(chan int), make(chan int)"),
			line("go func() { n := 0; for x := range out { n += x }; total <- n }()"), line("left := 3"))
		sel.parts = append(sel.parts, part{text{"case when(left > 0, out) <- left:"}, []*node{line("left--")}})
		open += " || left > 0"
		cases = append(cases, line("close(out); mix(uint64(<-total))"))
	}
	// One accumulator for each operation: sums and differences of bits do not mix.
	for k := range sel.parts {
		for _, n := range sel.parts[k].body {
			if h, ok := n.parts[0].head[0].(string); ok && strings.HasPrefix(h, "acc ^=") {
				n.parts[0].head[0] = "bits" + strings.TrimPrefix(h, "acc")
			}
		}
	}
	list = append(list, line("var acc, bits "+t.name+"; closed := 0; _ = closed"),
		block(text{"for " + open}, []*node{sel}), line("mix(uint64(acc)); mix(uint64(bits))"))
	return append(list, cases...)
}
