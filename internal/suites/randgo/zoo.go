package randgo

import "fmt"

// zooStmt returns a loop of the zoo in a guard.
func (g *gen) zooStmt() []*node {
	if g.nest > 3 || g.mult*30 > maxMult {
		return nil
	}
	g.pan = 0
	return []*node{g.guarded(nil, g.loopZoo)}
}

// element puts the element at an index into the checksum.
func (g *gen) element(t *typ, parts ...any) *node { return g.mixExpr(mk(t, parts...))[0] }

// loopZoo returns a loop over a slice, array or string of the kind in which a removal of bounds
// checks may be wrong. It may panic anywhere, in one place for each statement, and is in a guard.
func (g *gen) loopZoo() []*node {
	g.cost += 40 * g.mult
	g.pan = 0
	mult := g.mult
	g.mult *= 30
	defer func() { g.mult = mult }()
	elem := g.randBasic()
	s := g.fresh("z")
	n := g.between(0, 20)
	st := sliceOf(elem)
	var list []*node
	if n > 0 && n < 10 && g.chance(40) {
		list = append(list, line(s, " := ", g.list(st, n, 0)))
	} else {
		size := fmt.Sprint(n)
		if g.chance(50) {
			size = "opaque(" + size + ")"
		}
		list = append(list, line(s, " := make("+st.name+", ", size, ")"))
		if g.chance(60) {
			i := g.declare(&variable{name: g.fresh("i"), typ: intType, ro: true})
			list = append(list, block(text{"for " + i.name + " := range " + s},
				[]*node{line(s+"["+i.name+"] = ", g.value(elem, 1))}))
			g.scope = g.scope[:len(g.scope)-1]
		}
	}
	list = append(list, g.zooLoop(s, st, elem, n)...)
	if g.chance(30) {
		list = append(list, line("mixAny("+s+")"))
	}
	return append(list, line("_ = ", s))
}

// A zoo is a loop under construction.
type zoo struct {
	g        *gen
	s        string // the slice, of type st
	st, elem *typ
	n        int    // its length
	length   string // the length as the program computes it
	k, k2    int
	step     int
	list     []*node
}

// zooLoop returns a loop over the slice s of n elements, perhaps with code before and after it.
func (g *gen) zooLoop(s string, st, elem *typ, n int) []*node {
	z := &zoo{g: g, s: s, st: st, elem: elem, n: n, length: fmt.Sprintf("len(%s)", s)}
	z.k, z.k2, z.step = g.between(-2, 3), g.between(-2, 3), g.between(1, 4)
	if kind := g.n(29); kind < 14 {
		z.counted(kind)
	} else {
		z.changing(kind)
	}
	return z.list
}

// off returns an index with an offset.
func (z *zoo) off(i string, k int) string {
	switch {
	case k > 0:
		return fmt.Sprintf("%s+%d", i, k)
	case k < 0:
		return fmt.Sprintf("%s-%d", i, -k)
	}
	return i
}

// opq returns a number that the compiler may or may not know.
func (z *zoo) opq(x int) string {
	if z.g.chance(30) {
		return fmt.Sprintf("opaque(%d)", x)
	}
	return fmt.Sprint(x)
}

// at writes or reads an element.
func (z *zoo) at(i string) *node {
	if z.g.chance(30) {
		return line(z.s+"["+i+"] = ", z.g.value(z.elem, 1))
	}
	return z.g.element(z.elem, z.s+"["+i+"]")
}

func (z *zoo) loop(head string, body ...*node) { z.list = append(z.list, block(text{head}, body)) }

// counted makes one of the loops 0 to 13. Most count from one end to the other.
func (z *zoo) counted(kind int) {
	g, s, elem, k, k2, step, length := z.g, z.s, z.elem, z.k, z.k2, z.step, z.length
	switch kind {
	case 0:
		z.loop(fmt.Sprintf("for i := %s; i < %s; i += %s", z.opq(g.between(-1, 2)), z.off(length, k), z.opq(step)),
			z.at(z.off("i", k2)), z.at("i"))
	case 1:
		z.loop(fmt.Sprintf("for i := %s; i >= %s; i -= %s", z.off(length, k), z.opq(g.between(-1, 2)), z.opq(step)),
			z.at(z.off("i", k2)), z.at("i"))
	case 2:
		z.loop(fmt.Sprintf("for i := uint(%s) - 1; i < uint(%s); i -= %d", length, z.off(length, k), step), z.at("i"),
			z.at(z.off("i", k2)))
	case 3:
		t := []string{"uint8", "int8", "uint16", "uint32"}[g.n(4)]
		z.loop(fmt.Sprintf("for i, r := ^%s(0)-3, 0; r < 12; i, r = i+%d, r+1", t, step),
			block(text{"if int(i) < " + z.off(length, k)}, []*node{z.at(z.off("i", k2))}))
	case 4:
		z.loop(fmt.Sprintf("for i := math.MaxInt - %d; i > 0; i += %d", g.n(8), step),
			block(text{fmt.Sprintf("if i+%d < %s", g.between(1, 9), length)}, []*node{z.at("i")}), z.at("i - (math.MaxInt - 7)"))
	case 5:
		z.loop(fmt.Sprintf("for i, j := 0, %s; i < j; i, j = i+1, j-%d", z.off(length, g.between(-1, 0)), step),
			line(fmt.Sprintf("%s[i], %[1]s[j-1] = %[1]s[j-1], %[1]s[i]", s)), z.at("j"))
	case 6:
		z.list = append(z.list, line(fmt.Sprintf("t := %s", s)))
		z.loop(fmt.Sprintf("for len(t) > %d", max(k, 0)), g.element(elem, fmt.Sprintf("t[%d]", max(k2, 0))),
			line(fmt.Sprintf("t = t[%d:]", step)))
	case 7:
		z.loop(fmt.Sprintf("for i := -3; i < 25; i += %d", step),
			block(text{"if uint(i) < uint(" + length + ")"}, []*node{z.at("i"), z.at(z.off("i", k2))}))
	case 8:
		z.list = append(z.list, line(fmt.Sprintf("t := %s[:len(%[1]s):len(%[1]s)][:%s]", s, z.opq(g.n(20)))))
		z.loop(fmt.Sprintf("for i := range %s", z.opq(g.n(20))), g.element(elem, "t["+z.off("i", k2)+"]"))
	case 9:
		w := g.between(1, 5)
		z.loop(fmt.Sprintf("for i := 0; i < %s/%d; i++", z.off(length, k), w),
			block(text{fmt.Sprintf("for j := range %s", z.opq(w))}, []*node{z.at(fmt.Sprintf("i*%d+j", w))}))
	case 10:
		z.list = append(z.list, block(text{fmt.Sprintf("if %s >= %d", length, 3)},
			[]*node{z.at("0"), z.at("2"), z.at(fmt.Sprint(g.between(1, 4)))}),
			line(fmt.Sprintf("_ = %s[%d]", s, g.n(8))), z.at("0"), z.at(fmt.Sprint(g.n(9))))
	case 11:
		t := []string{"int", "int8", "int32", "uint64", "uint8"}[g.n(5)]
		z.list = append(z.list, line("var a [16]"+elem.name), line(fmt.Sprintf("x := %s(%d)", t, g.between(3, 100))))
		z.loop("for range 12", g.element(elem, "a[x"+[]string{" & 15", " % 16", " & 31", "", " >> 2", " >> 4"}[g.n(6)]+"]"),
			line(fmt.Sprintf("x = x*%d + %d", g.between(2, 5), g.n(20))))
	case 12:
		z.loop(fmt.Sprintf("for i := %d; i*2+1 < %s; ", g.n(3), z.off(length, k)), line("c := i*2 + 1"),
			block(text{fmt.Sprintf("if c+%d < %s", g.between(1, 2), length)},
				[]*node{z.at("c+1"), line("c += int(bit(" + g.expr(boolType, 1).String() + "))")}), z.at("c"), line("i = c"))
	case 13:
		z.loop(fmt.Sprintf("for lo, hi, r := 0, %s, 0; lo < hi && r < 30; r++", z.off(length, k)),
			line("m := int(uint(lo+hi) >> 1)"), z.at("m"),
			block(text{"if ", g.cond()}, []*node{line("lo = m + 1; continue")}), line("hi = m"))
	}
}

// changing makes one of the loops 14 to 28, in which the index or the indexed variable changes
// within the loop.
func (z *zoo) changing(kind int) {
	g, s, st, elem, n, k, k2, step, length := z.g, z.s, z.st, z.elem, z.n, z.k, z.k2, z.step, z.length
	switch kind {
	case 14:
		str := g.operand(strType, 2)
		z.list = append(z.list, line("t := ", str))
		z.loop(fmt.Sprintf("for i := %d; i%s < len(t); i += %d", g.between(-1, 1), []string{"", "+1", "+2", "-1"}[g.n(4)],
			step), line("mix(uint64(t["+z.off("i", k2)+"]))"),
			line("mixS(t["+z.off("i", g.n(2))+":])"))
	case 15:
		big := fmt.Sprintf("math.MaxInt-%d", g.n(6))
		z.loop(fmt.Sprintf("for i := 0; i < %d; i++", g.between(3, 12)),
			block(text{fmt.Sprintf("if i+(%s) < %s", big, length)}, []*node{z.at("i")}), line("mix(1)"))
	case 16:
		z.loop(fmt.Sprintf("for i := int8(%d); i > 0; i += %d", g.between(90, 127), g.between(1, 20)),
			block(text{fmt.Sprintf("if i-%d < int8(%s)", g.between(80, 120), length)}, []*node{z.at("i-100")}))
	case 17:
		t := ints[g.n(len(ints))].name
		z.loop(fmt.Sprintf("for i := %s(%s); i > 0; i--", t, z.off(length, k)), z.at("i-1"), line("mix(uint64(i))"))
	case 18:
		a, b := g.n(6), g.n(6)
		z.list = append(z.list, line(fmt.Sprintf("mix(uint64(copy(%s[%d:], %[1]s[%d:])))", s, min(a, n), min(b, n))),
			line(fmt.Sprintf("mixAny(%s)", s)),
			line(fmt.Sprintf("copy(%s, %[1]s[%s:])", s, z.opq(a))), line(fmt.Sprintf("mixAny(%s)", s)))
	case 19:
		z.list = append(z.list, line("t := "+s))
		z.loop("for i := 0; i < len(t); i++", block(text{"if ", g.cond()},
			[]*node{line(fmt.Sprintf("t = t[:len(t)-%d]", g.between(1, 2)))}), g.element(elem, "t[i]"))
	case 20:
		// The bound is read once, before the slice becomes another one.
		z.list = append(z.list, line("t := "+s), line("n := len(t)"))
		z.loop("for i := 0; i < n; i++", block(text{"if i == ", z.opq(g.n(12))},
			[]*node{line(fmt.Sprintf("t = t[%d:]", g.between(0, 2)))}), g.element(elem, "t[i]"))
	case 21:
		// Two slices, and the length of one.
		z.list = append(z.list, line(fmt.Sprintf("t := make(%s, %s)", st.name, z.opq(max(0, n+g.between(-2, 1))))))
		z.loop(fmt.Sprintf("for i := range %s", s), line(fmt.Sprintf("t[%s] = %s[i]", z.off("i", g.between(-1, 1)), s)))
		z.list = append(z.list, line("mixAny(t)"))
	case 22:
		// Any nonzero step, with both ends checked by hand.
		z.list = append(z.list, line("d := int(int8(", g.operand(g.randInt(), 1), ") | 1)"))
		z.loop(fmt.Sprintf("for i, r := %d, 0; i >= %d && i < %s && r < 40; i, r = i+d, r+1", g.n(max(n, 1)),
			g.between(-1, 0), z.off(length, g.between(-1, 1))), z.at("i"))
	case 23:
		// A matrix.
		w, h := g.between(1, 5), g.between(1, 5)
		z.list = append(z.list, line(fmt.Sprintf("var m [%d][%d]%s", h, w, elem.name)))
		z.loop(fmt.Sprintf("for y := range %s", z.opq(h)),
			block(text{fmt.Sprintf("for x := %d; x < %s; x++", g.n(2), z.opq(w+g.n(2)))}, []*node{
				line("m[y][x] = ", g.value(elem, 1)), g.element(elem,
					fmt.Sprintf("m[%s][x]", []string{"y", "y", "h - 1 - y", "x"}[g.n(4)]))}))
		z.list = append(z.list[:len(z.list)-1:len(z.list)-1], line(fmt.Sprintf("h := %d; _ = h", h)), z.list[len(z.list)-1])
	case 24:
		// A range test on a value of any type.
		t := g.randInt()
		lo, hi := g.between(0, 5), g.between(4, 18)
		z.list = append(z.list, line("x := ", t.name, "(", g.operand(t, 2), ")"))
		z.loop("for range 9", block(text{fmt.Sprintf("if x >= %d && x < %d", lo, hi)},
			[]*node{z.at(fmt.Sprintf("x-%d", lo)), z.at("x")}),
			line("x ", []string{"+= ", "-= ", "^= ", "*= ", ">>= "}[g.n(5)], fmt.Sprint(g.between(1, 7))),
			line("mix(uint64(x))"))
	case 25:
		// Sums of small types. They do not wrap if they are converted first.
		t := []string{"uint8", "int8", "uint16", "int16"}[g.n(4)]
		k := g.between(-3, 130)
		if t == "int8" {
			k = min(k, 120)
		}
		z.list = append(z.list, line("x := ", t, "(", fmt.Sprint(g.between(0, 127)), "); _ = x"))
		z.loop("for range 20", line("x += ", fmt.Sprint(g.between(1, 40))),
			block(text{fmt.Sprintf("if x%+d < %s(%s)", k, t, length)}, []*node{z.at(fmt.Sprintf("int(x)%+d", k))}),
			block(text{fmt.Sprintf("if int(x)%+d < %s", k, length)}, []*node{z.at(fmt.Sprintf("int(x)%+d", k))}))
	case 26:
		z.loop("for i := -3; i < 24; i++", line("k := i*", fmt.Sprint(g.between(1, 3)), " - ", fmt.Sprint(g.n(4))),
			block(text{"if k < 0 || k >= " + z.off(length, g.between(-1, 1))}, []*node{line("continue")}),
			z.at("k"), z.at(length+"-1-k"), z.at("k/2"), z.at("k>>1"), z.at("k%3"), z.at("k&7"))
	case 27:
		// A relation between two variables.
		z.loop("for i, j := -2, "+fmt.Sprint(g.n(6))+"; i < 14; i, j = i+"+fmt.Sprint(step)+", (j*5+3)%17",
			block(text{[]string{"if i < j && j < ", "if i <= j && j <= ", "if i >= 0 && i < j && j < "}[g.n(3)] +
				z.off(length, g.between(-1, 1))},
				[]*node{z.at("j"), z.at("j-1"), z.at("i"), z.at("i+1"), z.at("j-i")}))
	case 28:
		// Divisions and remainders as indices, by constants and by variables.
		z.list = append(z.list, line("d := ", z.opq(g.between(1, 9))))
		z.loop("for i := -4; i < 40; i++", z.at([]string{"i/d", "i%d", "i/3", "i%5", "(i+4)%d", "uint(i)%7",
			"int(uint8(i)/16)"}[g.n(7)]))
		z.list = append(z.list, line("_ = d"))
	}
}

// sliceStmt works on slices: growth in a loop, aliases within a known capacity, elements at
// computed positions, copies.
func (g *gen) sliceStmt() []*node {
	pick := func() *variable { return g.pickVar(func(v *variable) bool { return v.typ.kind == kSlice }) }
	switch g.n(8) {
	case 0, 1:
		// Nothing else sees the slice while it grows: when it moves is unspecified.
		n := g.rounds(25)
		if n == 0 {
			return nil
		}
		t := sliceOf(g.randBasic())
		v := &variable{name: g.fresh("v"), typ: t}
		i := g.declare(&variable{name: g.fresh("i"), typ: intType, ro: true, bound: n})
		g.pan = 0
		mult := g.mult
		g.mult *= n
		g.cost += g.mult
		body := []*node{line(v.name, " = append(", v.name, ", ", g.value(t.elem, 2), ")")}
		if g.chance(30) {
			body = []*node{block(text{"if ", g.cond()}, body)}
		}
		if g.chance(20) {
			body = append(body, line(v.name, " = append(", v.name, ", ", v.name+"[:len("+v.name+")/4]...)"))
		}
		g.mult = mult
		g.scope = g.scope[:len(g.scope)-1]
		g.declare(v)
		decl := line("var ", v.name, " ", t.name)
		if g.chance(40) {
			decl = line(v.name, " := make(", t.name, ", 0, ", fmt.Sprint(g.n(30)), ")")
		}
		return []*node{decl, block(text{fmt.Sprintf("for %s := range %d", i.name, n)},
			append([]*node{line("_ = " + i.name)}, body...)), line(v.name, " = cutSlice(", v.name, ")")}
	case 2, 3:
		// The capacity is known, so the aliases are known.
		t := sliceOf(g.randBasic())
		n := g.between(1, 4)
		c := g.between(n+1, 9)
		a, b, d := g.fresh("v"), g.fresh("v"), g.fresh("v")
		list := []*node{line(a, fmt.Sprintf(" := make(%s, %d, %d)", t.name, n, c))}
		if g.chance(50) {
			list = []*node{line("var arr", a, fmt.Sprintf(" [%d]%s", c+2, t.elem.name)),
				line(fmt.Sprintf("%s := arr%[1]s[:%d:%d]", a, n, c))}
		}
		list = append(list, line(b, " := append(", a, ", ", g.value(t.elem, 2), ")"),
			line(d, " := append(", a, ", ", g.value(t.elem, 2), ")"),
			line(d+fmt.Sprintf("[%d] = ", g.n(n)), g.value(t.elem, 2)))
		if g.chance(50) {
			list = append(list, line(fmt.Sprintf("%s = append(%s[:%d], %s[%d:]...)", b, b, g.n(n), b, g.n(n)+1)))
		}
		if g.chance(30) {
			list = append(list, line(fmt.Sprintf("mix(uint64(cap(%s))); clear(%s[:%d])", d, b, g.n(2))))
		}
		list = append(list, line(fmt.Sprintf("mixAny(%s); mixAny(%s); mixAny(%s)", a, b, d)))
		for _, name := range []string{a, b, d} {
			g.declare(&variable{name: name, typ: t})
		}
		return list
	case 4, 5:
		v := pick()
		if v == nil {
			return nil
		}
		i := mk(intType, "int(uint32(", g.operand(g.randInt(), 2), ")%uint32(len("+v.name+")))")
		set := line(v.name+"[", i, "] = ", g.value(v.typ.elem, 2))
		return []*node{block(text{"if len(" + v.name + ") > 0"}, []*node{set})}
	case 6:
		v := pick()
		if v == nil {
			return nil
		}
		w := g.pickVar(func(w *variable) bool { return w.typ.is(v.typ) })
		g.pan = 0
		return []*node{line(fmt.Sprintf("mix(uint64(copy(%s%s, %s%s)))", v.name, g.bounds(v.name), w.name, g.bounds(w.name)))}
	}
	v := pick()
	if v == nil {
		return nil
	}
	return []*node{line("clear(" + v.name + g.bounds(v.name) + ")")}
}

func (g *gen) bounds(name string) string {
	return []string{"", "[len(" + name + ")/2:]", "[:len(" + name + ")/2]", "[min(1, len(" + name + ")):]"}[g.n(4)]
}

// listStmt builds a linked list or a tree and walks it.
func (g *gen) listStmt() []*node {
	n := g.rounds(12)
	if n == 0 || g.mult > 20 {
		return nil
	}
	g.pan = 0
	t := g.randBasic()
	name, head := g.fresh("node"), g.fresh("v")
	i := g.declare(&variable{name: g.fresh("i"), typ: intType, ro: true, bound: n})
	mult := g.mult
	g.mult *= n
	g.cost += 4 * g.mult
	val := g.value(t, 2)
	cond := g.cond()
	g.mult = mult
	g.scope = g.scope[:len(g.scope)-1]
	list := []*node{line("type ", name, " struct { v ", t.name, "; k int; next, other *", name, " }"),
		line("var ", head, " *", name)}
	if g.chance(50) {
		list = append(list, block(text{fmt.Sprintf("for %s := range %d", i.name, n)}, []*node{
			line("_ = ", i.name), line(head, " = &", name, "{v: ", val, ", k: ", i.name, ", next: ", head, "}"),
			block(text{"if ", cond}, []*node{line(head, ".other = ", head, ".next")})}))
		if g.chance(50) {
			list = append(list, line("var prev"+head+" *"+name), block(text{"for " + head + " != nil"}, []*node{
				line(fmt.Sprintf("%s.next, prev%[1]s, %[1]s = prev%[1]s, %[1]s, %[1]s.next", head))}), line(head, " = prev", head))
		}
		body := []*node{g.element(t, "p.v"), block(text{"if p.other != nil"}, []*node{line("mix(uint64(p.other.k))")})}
		return append(list, block(text{"for p := " + head + "; p != nil; p = p.next"}, body))
	}
	// A search tree ordered by k, with an order of insertion from a small generator.
	f := g.fresh("walk")
	return append(list,
		block(text{fmt.Sprintf("for %s := range %d", i.name, n)}, []*node{
			line(fmt.Sprintf("at, k := &%s, %s*7%%%d", head, i.name, n+3)),
			block(text{"for *at != nil"}, []*node{
				block(text{"if k < (*at).k"}, []*node{line("at = &(*at).next; continue")}),
				line("at = &(*at).other")}),
			line("*at = &", name, "{v: ", val, ", k: k}")}),
		line("var ", f, " func(p *", name, ") int"),
		block(text{f, " = func(p *", name, ") int"}, []*node{
			block(text{"if p == nil"}, []*node{line("return 0")}),
			line("n := ", f, "(p.next)"), g.element(t, "p.v"), line("m := ", f, "(p.other)"), line("return n + m + p.k")}),
		line("mix(uint64(", f, "(", head, ")))"))
}

// stringStmt builds or splits strings.
func (g *gen) stringStmt() []*node {
	n := g.rounds(8)
	if n == 0 || g.mult > 60 {
		return nil
	}
	g.pan = 0
	g.cost += 20 * g.mult
	v := &variable{name: g.fresh("v"), typ: strType}
	switch g.n(5) {
	case 0:
		b := g.fresh("b")
		list := []*node{line("var ", b, " []byte"),
			line(fmt.Sprintf("for i := range %d { %s = append(%[2]s, ", n, b), g.expr(strType, 1), "...); _ = i }"),
			line(b, " = append(", b, ", ", g.expr(byteType, 2), ")"), line(v.name, " := cut(string(", b, ")); _ = ", v.name)}
		g.declare(v)
		return list
	case 1:
		list := []*node{line("var sb" + v.name + " strings.Builder"),
			line(fmt.Sprintf("for i := range %d { sb%s.WriteString(", n, v.name), g.expr(strType, 1),
				"); sb"+v.name+".WriteByte(byte(i)) }"),
			line(v.name, " := cut(sb"+v.name+".String()); _ = ", v.name)}
		g.declare(v)
		return list
	case 2:
		s := g.fresh("v")
		return []*node{line(s, " := ", g.expr(strType, 2)),
			block(text{"for i, r := range []rune(" + s + ")"}, []*node{line("mix(uint64(r)<<8 + uint64(i))")}),
			block(text{"for i := range " + s}, []*node{line("mix(uint64(i)); mixS(" + s + "[i:])")})}
	case 3:
		s, b := g.fresh("v"), g.fresh("b")
		return []*node{line(s, " := ", g.expr(strType, 2)), line(b, " := []byte(", s, ")"),
			line("if len(" + b + ") > 0 { " + b + "[0] ^= 1 }"),
			line("mixS(", s, "); mixS(string(", b, "))"),
			block(text{"if string(" + b + ") == " + s + " || string(" + b + ") < ", g.expr(strType, 1)},
				[]*node{line("mix(7)")}),
			block(text{"switch string(" + b + ")"}, []*node{line("case \"abc\": mix(1)\ncase \"`bc\", \"zz\": mix(2)\ndefault: mix(3)")})}
	}
	m := g.fresh("m")
	s := g.fresh("v")
	return []*node{line(m, " := map[string]int{}"), line(s, " := ", g.expr(strType, 2)),
		block(text{"for i := range " + s}, []*node{line(m, "[", s, "[:i]]++; ", m, "[string([]byte(", s, ")[i:])] += i")}),
		line("mixAny(", m, ")")}
}

// carryStmt is arithmetic on more than one word.
func (g *gen) carryStmt() []*node {
	u := basic[kUint64]
	a, b := g.declare(&variable{name: g.fresh("v"), typ: u}), g.declare(&variable{name: g.fresh("v"), typ: u})
	g.scope = g.scope[:len(g.scope)-2]
	g.pan = 0
	f := []string{"bits.Mul64(", "bits.Add64(", "bits.Sub64(", "bits.Div64("}[g.n(4)]
	call := text{f, g.operand(u, 2), ", ", g.operand(u, 2)}
	switch f {
	case "bits.Add64(", "bits.Sub64(":
		call = append(call, ", ", g.operand(u, 1), "&1)")
	case "bits.Mul64(":
		call = append(call, ")")
	default:
		// The quotient fits: the high word is below the divisor.
		call = text{f, g.operand(u, 2), ">>1, ", g.operand(u, 2), ", ", g.operand(u, 2), "|1<<63)"}
	}
	g.declare(a)
	g.declare(b)
	return []*node{line(a.name, ", ", b.name, " := ", call, "; _, _ = ", a.name, ", ", b.name)}
}

// panicStmt returns something that panics, or may panic, in a guard of its own.
func (g *gen) panicStmt() []*node {
	if g.nest > 3 {
		return nil
	}
	g.pan = 0
	t := g.randBasic()
	var body []*node
	switch g.n(17) {
	case 0:
		body = []*node{line("var m map[", g.randKey().name, "]", t.name), line("_ = len(m)"), line("panic(", g.value(t, 2), ")")}
	case 1:
		k := g.randKey()
		body = []*node{line("var m map[", k.name, "]", t.name), line("mix(uint64(len(m)))"), line("_ = m[", g.value(k, 1), "]"), line("m[", g.value(k, 1), "] = ", g.value(t, 1))}
	case 2:
		body = []*node{line("type big struct { a [3]int; v ", t.name, " }"), line("var p *big"), block(text{"if ", g.cond()}, []*node{line("p = &big{}")}), g.element(t, "p.v"), line("p.v = ", g.value(t, 2)), g.element(t, "p.v")}
	case 3:
		body = []*node{line("var p *[5]", t.name), line("mix(uint64(len(p)))"), line("for i := range p { mix(uint64(i)) }"), g.element(t, "p[", g.index(5), "]")}
	case 4:
		body = []*node{line("c := make(chan int, 1)"), line("close(c)"), line("x, ok := <-c; mix(uint64(x)); mix(bit(ok))"), line([]string{"close(c)", "c <- 1"}[g.n(2)])}
	case 5:
		body = []*node{line("var c chan int"), line("close(c)")}
	case 6:
		body = []*node{line("s := make([]", t.name, ", opaque(", fmt.Sprint(g.n(8)), "))"), line(fmt.Sprintf("a := [%d]%s(s)", g.between(1, 8), t.name)), line("mixAny(a)")}
	case 7:
		body = []*node{line("n := opaque(", fmt.Sprint([]int{-1, 1 << 62, 3, -1 << 63}[g.n(4)]), ")"), line("s := make([]", t.name, ", n)"), line("mix(uint64(len(s)))")}
	case 8:
		body = []*node{line("n := opaque(", fmt.Sprint(g.n(5)), ")"), line(fmt.Sprintf("s := make([]%s, 2, n)", t.name)), line("mix(uint64(len(s)+cap(s)))")}
	case 9:
		body = []*node{line("panic(fmt.Errorf(\"wrapped %w at %v\", errProgram, ", g.value(t, 2), "))")}
	case 10:
		body = []*node{block(text{"defer func()"}, []*node{line("e := recover()"), line("mixS(panicText(e))"), line("panic(e)")}), line("panic(", g.value(t, 2), ")")}
		body[0].tail = "}()"
	case 11:
		body = []*node{line("defer mix(1)"), block(text{"defer func()"}, []*node{line("panic(", g.value(t, 2), ")")}), line("panic(", g.value(strType, 2), ")")}
		body[1].tail = "}()"
	case 12:
		body = []*node{line("var x, y any = []int{1}, []int{1}"), line("if x == any(3) { mix(1) }"), line("mix(bit(x == y))")}
	case 13:
		body = []*node{line("m := map[any]int{}"), line("m[", g.value(t, 2), "]++"), line("m[any(func() {})] = 1")}
	case 14:
		body = []*node{line("panic(nil)")}
	case 15:
		body = []*node{line("var e error"), line("mixS(e.Error())")}
	default:
		body = []*node{line("var f func(", t.name, ") int"), block(text{"if ", g.cond()}, []*node{line("f = func(", t.name, ") int { return 3 }")}), line("mix(uint64(f(", g.value(t, 2), ")))")}
	}
	return []*node{g.guarded(nil, func() []*node { return body })}
}
