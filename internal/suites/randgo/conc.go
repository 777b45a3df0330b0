package randgo

import "fmt"

// concurrent returns a statement with goroutines whose result does not depend on the order in which
// they run. They compute from values that do not change meanwhile. The values that they send are
// added up, stored at an index, or passed on one by one.
func (g *gen) concurrent() []*node {
	n := g.rounds(6)
	if n == 0 || g.mult > 4 || g.nest > 3 {
		return nil
	}
	g.pan = 0
	g.cost += 60 * g.mult
	t := g.randBasic()
	for t.isComplex() || t.kind == kBool {
		t = g.randBasic()
	}
	ch := g.fresh("ch")
	i := &variable{name: g.fresh("i"), typ: intType, ro: true, bound: n}
	inLoop := func(gen func() *expr) *expr {
		mult := g.mult
		g.mult *= n
		g.declare(i)
		e := gen()
		g.scope, g.mult = g.scope[:len(g.scope)-1], mult
		return e
	}
	buffered := fmt.Sprint(g.n(4))
	tailed := func(n *node, tail string) *node {
		n.tail = tail
		return n
	}
	switch g.n(9) {
	case 0:
		acc := g.fresh("v")
		u := g.randInt()
		body := inLoop(func() *expr { return g.value(u, 3) })
		return []*node{
			line(ch, " := make(chan ", u.name, ", ", buffered, ")"),
			block(text{fmt.Sprintf("for %s := range %d", i.name, n)},
				[]*node{tailed(block(text{"go func()"}, []*node{line("_ = ", i.name), line(ch, " <- ", body)}), "}()")}),
			line("var ", acc, " ", u.name),
			block(text{fmt.Sprintf("for range %d", n)}, []*node{line(acc, []string{" += ", " ^= "}[g.n(2)], "<-", ch)}),
			line("mix(uint64(", acc, "))")}
	case 1:
		res := g.fresh("v")
		body := inLoop(func() *expr { return g.value(t, 3) })
		list := []*node{
			line(res, " := make([]", t.name, ", ", fmt.Sprint(n), ")"), line("var wg", res, " sync.WaitGroup"),
			block(text{fmt.Sprintf("for %s := range %d", i.name, n)}, []*node{line("wg", res, ".Add(1)"),
				tailed(block(text{"go func()"}, []*node{line("defer wg", res, ".Done()"), line(res, "[", i.name, "] = ", body)}),
					"}()")}),
			line("wg", res, ".Wait()"), line("mixAny(", res, ")")}
		g.declare(&variable{name: res, typ: sliceOf(t), fixed: n, ro: true})
		return list
	case 2:
		// A pipeline.
		out := g.fresh("ch")
		first := inLoop(func() *expr { return g.value(t, 2) })
		x := g.declare(&variable{name: "x", typ: t, ro: true})
		second := g.value(t, 2)
		g.scope = g.scope[:len(g.scope)-1]
		return []*node{
			line(ch, ", ", out, " := make(chan ", t.name, ", ", buffered, "), make(chan ", t.name, ")"),
			tailed(block(text{"go func()"}, []*node{line("defer close(", ch, ")"),
				block(text{fmt.Sprintf("for %s := range %d", i.name, n)},
					[]*node{line("_ = ", i.name), line(ch, " <- ", first)})}), "}()"),
			tailed(block(text{"go func()"}, []*node{line("defer close(", out, ")"),
				block(text{"for ", x.name, " := range ", ch}, []*node{line("_ = ", x.name), line(out, " <- ", second)})}), "}()"),
			block(text{"for x := range ", out}, g.mixExpr(mk(t, "x")))}
	case 3:
		// A mutex, and a sum.
		acc := g.fresh("v")
		body := inLoop(func() *expr { return g.value(basic[kUint64], 3) })
		return []*node{
			line("var ", acc, " uint64"), line("var mu", acc, " sync.Mutex"), line("var wg", acc, " sync.WaitGroup"),
			block(text{fmt.Sprintf("for %s := range %d", i.name, n)},
				[]*node{tailed(block(text{"wg", acc, ".Go(func()"}, []*node{line("_ = ", i.name), line("x := ", body),
					line("mu", acc, ".Lock(); defer mu", acc, ".Unlock()"), line(acc, " += x")}), "})")}),
			line("wg", acc, ".Wait()"), line("mix(", acc, ")")}
	case 4, 5:
		// A goroutine does the work of this one, which waits for it.
		n := block(text{"go func()"}, nil)
		n.tail = "}()"
		g.closed(&funcCtx{guarded: true}, func() {
			g.nest++
			d := tailed(block(text{"defer func()"}, []*node{line(ch, " <- panicText(recover())")}), "}()")
			n.parts[0].body = append([]*node{d}, g.stmts(g.between(1, 4))...)
		})
		return []*node{line(ch, " := make(chan string)"), n, line("mixS(<-", ch, ")")}
	case 6:
		// Only one case of the select can proceed.
		nilCh := g.fresh("ch")
		other := []string{"case <-" + nilCh + ":\nmix(1)", "case " + nilCh + " <- *new(" + t.name + "):\nmix(2)"}[g.n(2)]
		full := []string{"default:\nmix(3)", "case x, ok := <-" + ch + ":\nmix(bit(ok)); _ = x"}[g.n(2)]
		list := []*node{line(ch, " := make(chan ", t.name, ", 1)"), line("var ", nilCh, " chan ", t.name)}
		if g.chance(60) {
			list = append(list, line(ch, " <- ", g.value(t, 2)))
		} else {
			list = append(list, line("close(", ch, ")"))
		}
		n := &node{tail: "}", parts: []part{{head: text{"select {"}}, {head: text{other}}, {head: text{full}}}}
		if full[0] == 'd' {
			// Only the buffer decides which cases are ready.
			n.parts = append(n.parts, part{head: text{"case x := <-", ch, ":"}, body: g.mixExpr(mk(t, "x"))})
		}
		return append(list, n)
	case 7:
		// Back and forth, one at a time.
		back := g.fresh("ch")
		x := g.declare(&variable{name: "x", typ: t, ro: true})
		e := g.value(t, 2)
		g.scope = g.scope[:len(g.scope)-1]
		return []*node{
			line(ch, ", ", back, " := make(chan ", t.name, "), make(chan ", t.name, ")"),
			tailed(block(text{"go func()"}, []*node{block(text{"for ", x.name, " := range ", ch},
				[]*node{line("_ = ", x.name), line(back, " <- ", e)}), line("close(", back, ")")}), "}()"),
			line("var x", ch, " ", t.name),
			block(text{fmt.Sprintf("for range %d", n)},
				append([]*node{line(ch, " <- x", ch), line("x", ch, " = <-", back)}, g.mixExpr(mk(t, "x"+ch))...)),
			line("close(", ch, ")"), line("_, ok", ch, " := <-", back, "; mix(bit(ok", ch, "))")}
	}
	// sync.Once, a condition that is met, a counter of atomic operations.
	return []*node{
		line("var once", ch, " sync.Once"), line("var n", ch, " atomic.", []string{"Int64", "Uint32", "Int32"}[g.n(3)]),
		line("var wg", ch, " sync.WaitGroup"),
		block(text{fmt.Sprintf("for %s := range %d", i.name, n)}, []*node{tailed(block(text{"wg", ch, ".Go(func()"}, []*node{
			line("once", ch, ".Do(func() { n", ch, ".Add(5) })"),
			block(text{"if ", i.name, "&1 == 0"}, []*node{line("runtime.Gosched()")}), line("n", ch, ".Add(2)")}), "})")}),
		line("wg", ch, ".Wait()"), line("mix(uint64(n", ch, ".Load()))")}
}

// ending returns statements that end the process.
func (g *gen) ending() []*node {
	g.pan = 0
	t := g.randInt()
	switch g.n(14) {
	case 0:
		return []*node{line("panic(", g.value([]*typ{t, strType, boolType, f64Type}[g.n(4)], 2), ")")}
	case 1:
		return []*node{line("panic(fmt.Errorf(\"at the end: %w\", errProgram))")}
	case 2:
		return []*node{line("var p *[8]", t.name), line("mix(uint64(p[", g.index(8), "]))")}
	case 3:
		return []*node{line("s := make([]", t.name, ", ", fmt.Sprint(g.n(5)), ")"),
			line("i := opaque(", fmt.Sprint(g.between(5, 9)), ")"), line("s[i] = ", g.value(t, 2))}
	case 4:
		return []*node{line("go func() { panic(", g.value(strType, 1), ") }()"), line("select {}")}
	case 5:
		return []*node{line([]string{"<-make(chan int)", "select {}", "var c chan bool; c <- true",
			"new(sync.WaitGroup).Add(1); w := new(sync.WaitGroup); w.Add(1); w.Wait()"}[g.n(4)])}
	case 6:
		return []*node{line("defer os.Exit(", fmt.Sprint(g.between(1, 120)), ")"), line("panic(1)")}
	case 7:
		return []*node{line("defer panic(", g.value(t, 1), ")"), line("panic(", g.value(strType, 1), ")")}
	case 8:
		return []*node{line("defer func() { panic(recover()) }()"), line("panic(", g.value(t, 1), ")")}
	case 9:
		return []*node{line("defer func() { e := recover(); show(\"recovered\", panicText(e)); panic(\"anew\") }()"),
			line("x := opaque(0)"), line("mix(uint64(1 / x))")}
	case 10:
		return []*node{line("defer show(\"deferred\", 1)"), line("runtime.Goexit()")}
	case 11:
		return []*node{line("var x any = ", g.value(t, 1)), line("_ = x.(fmt.Stringer)")}
	case 12:
		return []*node{line("var m map[string]int"), line("m[", g.value(strType, 1), "] = 1")}
	}
	return []*node{line("var f func()"), line("defer f()"), line("show(\"before\", 1)")}
}
