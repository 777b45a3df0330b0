package randgo

import (
	"fmt"
	"strings"
)

// A stmtKind is a row of the table below. Its function returns nil if it finds nothing to work on.
type stmtKind struct {
	weight int
	pure   bool // allowed in a pure function
	gen    func(g *gen) []*node
}

var stmtKinds []stmtKind

func init() {
	stmtKinds = []stmtKind{
		{16, true, (*gen).declStmt},
		{14, true, (*gen).assignStmt},
		{10, true, (*gen).opAssignStmt},
		{3, true, (*gen).multiAssign},
		{6, false, (*gen).mapStmt},
		{9, true, (*gen).ifStmt},
		{9, true, (*gen).forStmt},
		{9, false, (*gen).rangeStmt},
		{6, true, (*gen).switchStmt},
		{4, false, (*gen).typeSwitch},
		{14, false, (*gen).callStmt},
		{6, false, (*gen).closureStmt},
		{3, false, (*gen).deferStmt},
		{5, false, (*gen).guardStmt},
		{8, false, (*gen).observe},
		{7, false, (*gen).sliceStmt},
		{2, false, (*gen).gotoStmt},
		{3, true, (*gen).jumpStmt},
		{4, false, (*gen).concurrent},
		{5, false, (*gen).zooStmt},
		{3, false, (*gen).listStmt},
		{3, false, (*gen).panicStmt},
		{4, false, (*gen).stringStmt},
		{2, true, (*gen).carryStmt},
		{3, false, (*gen).methodValue},
		{3, false, (*gen).closureList},
		{3, false, (*gen).bytesStmt},
	}
}

func (g *gen) stmts(n int) []*node {
	var list []*node
	for i := 0; i < n && g.cost < g.limit; i++ {
		list = append(list, g.stmt()...)
	}
	return list
}

// nested returns statements with a scope of their own.
func (g *gen) nested(n int) []*node {
	mark := len(g.scope)
	g.nest++
	list := g.stmts(n)
	list = append(list, g.useUp(mark)...)
	g.nest--
	g.scope = g.scope[:mark]
	return list
}

// useUp uses variables at the end of their scope: a compiler removes unused results.
func (g *gen) useUp(mark int) (list []*node) {
	for _, v := range g.scope[mark:] {
		e := mk(v.typ, v.name)
		switch {
		case v.typ.kind > kString && v.typ.kind != kParam || g.chance(30):
		case !g.pure:
			list = append(list, g.mixExpr(e)...)
		case v.typ.isInt():
			if t := g.target(intType); t != nil {
				list = append(list, line(t, " ^= int(", e, ")"))
			}
		}
	}
	return list
}

// start begins a statement: it decides whether one operation in it may panic.
func (g *gen) start() {
	g.cost += g.mult
	g.pan, g.fuel = 0, 20
	switch {
	case g.pure:
	case g.fc.guarded && g.chance(30), g.chance(2):
		g.pan = 1
	}
}

func (g *gen) stmt() []*node {
	for {
		k := g.kind()
		if g.pure && !k.pure {
			continue
		}
		g.start()
		if list := k.gen(g); list != nil {
			return list
		}
	}
}

func (g *gen) kind() *stmtKind {
	sum := 0
	for i := range stmtKinds {
		sum += stmtKinds[i].weight
	}
	x := g.n(sum)
	for i := range stmtKinds {
		if x -= stmtKinds[i].weight; x < 0 {
			return &stmtKinds[i]
		}
	}
	panic("unreachable")
}

// define declares name := e.
func (g *gen) define(v *variable, e *expr) *node {
	g.declare(v)
	return line(v.name, " := ", e, "; _ = ", v.name)
}

func (g *gen) declStmt() []*node {
	t := g.randType()
	if g.pure {
		t = g.randValue(1)
	}
	if g.tparam != nil && g.chance(50) {
		t = g.tparam
	}
	v := &variable{name: g.fresh("v"), typ: t}
	if t.kind == kSlice && g.chance(60) {
		v.fixed, v.ro = g.between(1, 14), true
		if g.chance(50) {
			return []*node{g.define(v, g.list(t, v.fixed, 1))}
		}
		n := fmt.Sprint(v.fixed)
		if g.chance(30) {
			n = "opaque(" + n + ")"
		}
		return []*node{g.define(v, mk(t, "make("+t.name+", ", n, ")"))}
	}
	switch t.kind {
	case kPtr, kMap, kIface, kFunc, kAny:
	default:
		if g.chance(15) {
			g.declare(v)
			return []*node{line("var ", v.name, " ", t.name, "; _ = ", v.name)}
		}
	}
	return []*node{g.define(v, g.value(t, 3))}
}

// values returns the variables whose types share nothing.
func (g *gen) values() []*variable {
	var list []*variable
	for _, v := range g.scope {
		if v.typ.value() {
			list = append(list, v)
		}
	}
	return list
}

// target returns an assignable variable of type t, or an assignable part of one.
func (g *gen) target(t *typ) *expr {
	return g.pathOf(t, func(v *variable) bool {
		if g.pure && v.global {
			return false
		}
		return !v.ro || (v.typ.kind == kSlice || v.typ.kind == kPtr) && !v.typ.is(t)
	})
}

// someTarget returns a target whose type some variable in scope has.
func (g *gen) someTarget(ok func(*typ) bool) *expr {
	for range 6 {
		v := g.pickVar(func(*variable) bool { return true })
		if v == nil {
			return nil
		}
		t := v.typ
		for range g.n(3) {
			switch t.kind {
			case kArray, kSlice, kPtr:
				t = t.elem
			case kStruct:
				t = t.fields[g.n(len(t.fields))].typ
			}
		}
		if ok(t) {
			if e := g.target(t); e != nil {
				return e
			}
		}
	}
	return nil
}

func (g *gen) assignStmt() []*node {
	e := g.someTarget(func(t *typ) bool { return t.kind != kFunc })
	if e == nil {
		return nil
	}
	return []*node{line(e, " = ", g.value(e.typ, 3))}
}

func (g *gen) opAssignStmt() []*node {
	e := g.someTarget(func(t *typ) bool { return t.isInt() || t.isFloat() || t.isComplex() || t.kind == kString })
	if e == nil {
		return nil
	}
	t := e.typ
	switch {
	case t.kind == kString:
		return []*node{line(e, " = cut(", e, " + ", g.expr(t, 2), ")")}
	case !t.isInt():
		return []*node{line(e, " ", []string{"+", "-", "*"}[g.n(3)], "= ", g.expr(t, 2))}
	}
	switch x := g.n(10); {
	case x < 2:
		return []*node{line(e, []string{"++", "--"}[g.n(2)])}
	case x < 4:
		return []*node{line(e, " ", shifts[g.n(2)], "= ", g.count(2))}
	case x < 5:
		return []*node{line(e, []string{" /= ", " %= "}[g.n(2)], g.divisor(t, 2))}
	}
	return []*node{line(e, " ", arith[g.n(len(arith))], "= ", g.expr(t, 3))}
}

// multiAssign assigns two variables at once; nothing in it may panic.
func (g *gen) multiAssign() []*node {
	g.pan = 0
	a := g.someTarget(func(t *typ) bool { return t.kind <= kString || t.kind == kParam })
	if a == nil {
		return nil
	}
	b := g.target(a.typ)
	if b == nil {
		return nil
	}
	if g.chance(50) {
		return []*node{line(a, ", ", b, " = ", b, ", ", a)}
	}
	return []*node{line(a, ", ", b, " = ", g.value(a.typ, 2), ", ", g.value(a.typ, 2))}
}

func (g *gen) mapStmt() []*node {
	m := g.pickVar(func(v *variable) bool { return v.typ.kind == kMap })
	if m == nil {
		return nil
	}
	t := m.typ
	key := func() *expr { return g.value(t.key, 2) }
	switch x := g.n(10); {
	case x < 4:
		return []*node{line(m.name+"[", key(), "] = ", g.value(t.elem, 2))}
	case x < 6 && (t.elem.isInt() || t.elem.isFloat()):
		return []*node{line(m.name+"[", key(), "] += ", g.expr(t.elem, 2))}
	case x < 7:
		return []*node{line("delete("+m.name+", ", key(), ")")}
	case x < 9:
		v, ok := &variable{name: g.fresh("v"), typ: t.elem}, &variable{name: g.fresh("ok"), typ: boolType}
		n := line(v.name, ", ", ok.name, " := ", m.name+"[", key(), "]; _, _ = ", v.name, ", ", ok.name)
		g.declare(v)
		g.declare(ok)
		return []*node{n}
	}
	// Filled in a loop, so that it grows.
	if !t.key.isInt() || g.mult > 6 {
		return nil
	}
	g.cost += 40 * g.mult
	i := &variable{name: g.fresh("i"), typ: intType, ro: true}
	g.declare(i)
	g.pan = 0
	n := block(text{fmt.Sprintf("for %s := range %d", i.name, g.between(5, 60))}, []*node{
		line(m.name+"[", t.key.name+"(", i.name, "*", fmt.Sprint(g.between(1, 9)), ")] = ", g.value(t.elem, 1))})
	g.scope = g.scope[:len(g.scope)-1]
	return []*node{n}
}

func (g *gen) cond() *expr { return g.operand(boolType, 2) }

func (g *gen) ifStmt() []*node {
	if g.nest > 2 {
		return nil
	}
	n := block(text{"if ", g.cond()}, nil)
	g.pan = 0
	n.parts[0].body = g.nested(g.between(1, 2))
	for range g.n(2) {
		g.pan = 0
		p := part{head: text{"} else if ", g.cond(), " {"}}
		p.body = g.nested(g.between(1, 2))
		n.parts = append(n.parts, p)
	}
	if g.chance(50) {
		n.parts = append(n.parts, part{text{"} else {"}, g.nested(g.between(1, 2))})
	}
	return []*node{n}
}

// loopBody generates the body of a loop with so many rounds. It puts the label in front of the loop
// if something jumps to it.
func (g *gen) loopBody(rounds int, n *node, first ...*node) []*node {
	l := &loop{label: g.fresh("L")}
	g.fc.loops = append(g.fc.loops, l)
	mult := g.mult
	g.mult *= max(rounds, 1)
	g.pan = 0
	p := &n.parts[len(n.parts)-1]
	p.body = append(first, g.nested(g.between(1, 3))...)
	g.mult = mult
	g.fc.loops = g.fc.loops[:len(g.fc.loops)-1]
	if l.used {
		n.parts[0].head = append(text{l.label + ":\n"}, n.parts[0].head...)
	}
	return []*node{n}
}

// rounds returns a number of rounds that the enclosing loops allow; 0: none.
func (g *gen) rounds(most int) int {
	limit := maxMult
	if g.pure {
		limit = 20
	}
	most = min(most, limit/g.mult)
	if most < 1 || g.nest > 3 {
		return 0
	}
	return g.between(1, most)
}

func (g *gen) forStmt() []*node {
	n := g.rounds(20)
	if n == 0 {
		return nil
	}
	t := g.randInt()
	i := &variable{name: g.fresh("i"), typ: t, ro: true}
	mark := len(g.scope)
	defer func() { g.scope = g.scope[:mark] }()
	head := func(s string, args ...any) *node {
		g.declare(i)
		return block(text{fmt.Sprintf(s, args...)}, nil)
	}
	switch g.n(8) {
	case 0, 1:
		i.bound = n
		return g.loopBody(n, head("for %s := %s(0); %[1]s < %[3]d; %[1]s++", i.name, t.name, n))
	case 2:
		i.bound = n
		if !t.isSigned() {
			return g.loopBody(n, head("for %s := %s(%d); %[1]s > 0; %[1]s--", i.name, t.name, n))
		}
		return g.loopBody(n, head("for %s := %s(%d); %[1]s >= 0; %[1]s--", i.name, t.name, n-1))
	case 3:
		step := g.between(2, 5)
		if n*step > 100 {
			return nil
		}
		i.bound = n * step
		return g.loopBody(n, head("for %s := %s(%d); %[1]s < %[4]d; %[1]s += %[5]d", i.name, t.name, g.n(step), n*step, step))
	case 4:
		// Near the end of the type's range.
		top := uint64(1)<<(t.bits()-1) - 1
		low := fmt.Sprintf("(-%d - 1)", top)
		if !t.isSigned() {
			top, low = top*2+1, "0"
		}
		k := g.n(n)
		return g.loopBody(n, head("for %s := %s(%d); %[1]s != %[4]s+%[5]d; %[1]s++", i.name, t.name, top-uint64(n-k)+1, low,
			k))
	case 5:
		// An unknown bound, and a condition.
		bound := g.operand(g.randInt(), 2)
		nd := head("for %s, n%[1]s := 0, int(uint8(", i.name)
		i.typ = intType
		nd.parts[0].head = text{nd.parts[0].head[0], bound, fmt.Sprintf(")%%%d); %s < n%[2]s && ", n, i.name), g.cond(),
			"; " + i.name + "++ {"}
		return g.loopBody(n, nd)
	case 6:
		// The counter moves in the body.
		i.typ = intType
		g.declare(i)
		nd := block(text{"for " + i.name + " := 0; " + i.name + " < " + fmt.Sprint(n), ";"}, nil)
		return g.loopBody(n, nd, line(i.name, " += 1 + int(", g.operand(g.randInt(), 1), "&1)"))
	}
	i.typ = intType
	c := g.cond()
	g.declare(i)
	return append([]*node{line(i.name, " := 0; _ = ", i.name)},
		g.loopBody(n, block(text{"for ", c}, nil),
			block(text{i.name, "++; if ", i.name, fmt.Sprintf(" > %d", n)}, []*node{line("break")}))...)
}

func (g *gen) rangeStmt() []*node {
	mark := len(g.scope)
	defer func() { g.scope = g.scope[:mark] }()
	val := func(t *typ) *variable {
		return g.declare(&variable{name: g.fresh("e"), typ: t, ro: g.chance(60)})
	}
	idx := func(bound int) *variable {
		return g.declare(&variable{name: g.fresh("i"), typ: intType, ro: true, bound: bound})
	}
	head := func(i, e *variable, x any) *node {
		names := i.name
		if e != nil {
			names += ", " + e.name
		}
		return block(text{"for " + names + " := range ", x}, nil)
	}
	if g.mult*12 > maxMult || g.nest > 3 {
		return nil
	}
	switch g.n(9) {
	case 0, 1:
		v := g.pickVar(func(v *variable) bool { return v.typ.kind == kSlice && v.fixed > 0 || v.typ.kind == kArray })
		if v == nil {
			return nil
		}
		n := max(v.fixed, v.typ.n)
		x := v.name
		if v.typ.kind == kArray && g.chance(40) && !v.ro {
			x = "&" + x
		}
		i := idx(n)
		if g.chance(30) {
			return g.loopBody(n, head(i, nil, x), line("_ = ", i.name))
		}
		e := val(v.typ.elem)
		return g.loopBody(n, head(i, e, x), line("_, _ = ", i.name, ", ", e.name))
	case 2, 3:
		v := g.pickVar(func(v *variable) bool { return v.typ.kind == kSlice })
		if v == nil {
			return nil
		}
		i, e := idx(0), val(v.typ.elem)
		return g.loopBody(12, head(i, e, v.name), line("_, _ = ", i.name, ", ", e.name))
	case 4:
		x := g.expr(strType, 2)
		i, e := idx(0), val(basic[kInt32])
		return g.loopBody(12, head(i, e, x), line("_, _ = ", i.name, ", ", e.name))
	case 5:
		n := g.rounds(12)
		if n == 0 {
			return nil
		}
		t := g.randInt()
		if g.chance(50) {
			i := idx(n)
			i.typ = t
			return g.loopBody(n, head(i, nil, fmt.Sprintf("%s(%d)", t.name, n)), line("_ = ", i.name))
		}
		x := mk(t, t.name+"(uint8(", g.operand(g.randInt(), 2), fmt.Sprintf(")%%%d)", n))
		i := idx(0)
		i.typ = t
		return g.loopBody(n, head(i, nil, x), line("_ = ", i.name))
	case 6, 7:
		return g.rangeMap()
	}
	if len(g.iters) == 0 {
		return nil
	}
	f := g.iters[g.n(len(g.iters))]
	if !g.affords(f.cost) {
		return nil
	}
	g.cost += g.mult * f.cost
	x := mk(intType, f.name+"(", g.expr(intType, 1), ")")
	i, e := val(f.results[0]), val(f.results[1])
	n := g.loopBody(10, head(i, e, x), line("_, _ = ", i.name, ", ", e.name))
	return n
}

// rangeMap ranges over a map without showing the order.
func (g *gen) rangeMap() []*node {
	m := g.pickVar(func(v *variable) bool { return v.typ.kind == kMap })
	if m == nil {
		return nil
	}
	g.pan = 0
	t := g.randInt()
	acc := &variable{name: g.fresh("v"), typ: t}
	k, e := &variable{name: g.fresh("k"), typ: m.typ.key, ro: true},
		&variable{name: g.fresh("e"), typ: m.typ.elem, ro: true}
	mult := g.mult
	g.mult *= 20
	scope := g.scope
	var body []*node
	switch g.n(3) {
	case 0:
		// The condition must not read the map, which shrinks in an unspecified order.
		g.scope = g.values()
		g.declare(k)
		g.declare(e)
		body = append(body, block(text{"if ", g.operand(boolType, 2)},
			[]*node{line("delete(" + m.name + ", " + k.name + ")")}))
	default:
		g.declare(k)
		g.declare(e)
		body = append(body, line(acc.name, []string{" += ", " ^= "}[g.n(2)], g.expr(t, 3)))
	}
	g.mult = mult
	g.scope = scope
	g.declare(acc)
	list := []*node{line("var ", acc.name, " ", t.name)}
	if g.chance(15) {
		list = append(list, line("clear("+m.name+")"))
	}
	return append(list, block(text{"for " + k.name + ", " + e.name + " := range " + m.name},
		append([]*node{line("_, _ = ", k.name, ", ", e.name)}, body...)),
		line("mix(uint64(", acc.name, "))"))
}

func (g *gen) switchStmt() []*node {
	if g.nest > 2 {
		return nil
	}
	n := &node{tail: "}"}
	var cases []text
	seen := map[string]bool{}
	few := g.between(1, 4)
	switch g.n(5) {
	case 0, 1, 2:
		t := g.randInt()
		tag := g.operand(t, 2)
		dense := g.chance(60)
		if dense {
			mask := "7"
			if few = g.between(3, 5); g.chance(30) {
				few, mask = g.between(6, 12), "31"
			}
			tag = mk(t, "(", tag, " & ", mask, ")")
		}
		n.parts = []part{{head: text{"switch (", tag, ") {"}}}
		for i := range few {
			var c text
			for range g.between(1, 2) {
				x := g.intLiteral(t)
				if dense {
					x = fmt.Sprint(i*2 + len(c))
				}
				if !seen[x] {
					if seen[x] = true; len(c) > 0 {
						c = append(c, ", ")
					}
					c = append(c, x)
				}
			}
			if len(c) > 0 {
				cases = append(cases, append(text{"case "}, c...))
			}
		}
	case 3:
		n.parts = []part{{head: text{"switch (", g.operand(strType, 2), ") {"}}}
		for range few {
			if x := stringLiterals[g.n(len(stringLiterals))]; !seen[x] {
				seen[x] = true
				cases = append(cases, text{"case ", x})
			}
		}
	default:
		n.parts = []part{{head: text{"switch {"}}}
		g.pan = 0
		for range few {
			cases = append(cases, text{"case ", g.cond()})
		}
	}
	if g.chance(60) {
		at := g.n(len(cases) + 1)
		cases = append(cases[:at:at], append([]text{{"default"}}, cases[at:]...)...)
	}
	for i, c := range cases {
		g.pan = 0
		k := 1
		if len(cases) < 6 {
			k = g.between(1, 2)
		}
		body := g.nested(k)
		if i < len(cases)-1 && g.chance(12) {
			body = append(body, line("fallthrough"))
		} else if g.chance(8) {
			body = append([]*node{block(text{"if ", g.cond()}, []*node{line("break")})}, body...)
		}
		n.parts = append(n.parts, part{append(c, ":"), body})
	}
	return []*node{n}
}

func (g *gen) typeSwitch() []*node {
	v := g.pickVar(func(v *variable) bool { return v.typ.kind == kAny || v.typ.kind == kIface })
	if v == nil || g.nest > 3 {
		return nil
	}
	x := g.fresh("x")
	n := &node{tail: "}", parts: []part{{head: text{"switch " + x + " := " + v.name + ".(type) {"}}}}
	var types []*typ
	if v.typ.kind == kIface {
		types = v.typ.impls
	} else {
		for range g.between(1, 5) {
			types = append(types, g.randBasic())
		}
		types = append(append(types, g.structs...), g.ifaces...)
	}
	seen := map[string]bool{}
	use := line("_ = ", x)
	for i := 0; i < len(types); i++ {
		t := types[i]
		if seen[t.name] {
			continue
		}
		seen[t.name] = true
		c := part{head: text{"case " + t.name + ":"}}
		mark := len(g.scope)
		if i+1 < len(types) && !seen[types[i+1].name] && g.chance(20) {
			c.head = text{"case " + t.name + ", " + types[i+1].name + ":"}
			seen[types[i+1].name] = true
			i++
			g.declare(&variable{name: x, typ: v.typ, ro: true})
		} else {
			g.declare(&variable{name: x, typ: t, ro: true})
		}
		c.body = append([]*node{use}, g.nested(1)...)
		if t.kind <= kString && len(c.head[0].(string)) == len("case :")+len(t.name) {
			c.body = append(c.body, g.mixExpr(mk(t, x))...)
		}
		g.scope = g.scope[:mark]
		n.parts = append(n.parts, c)
	}
	if g.chance(60) {
		n.parts = append(n.parts, part{text{"default:"}, append([]*node{use}, g.nested(1)...)})
	}
	return []*node{n}
}

// callStmt calls a function, method or function value that may be impure.
func (g *gen) callStmt() []*node {
	switch g.n(4) {
	case 0:
		v := g.pickVar(func(v *variable) bool { return v.typ.kind == kFunc && v.cost > 0 && g.affords(v.cost) })
		if v != nil {
			return g.callFn(&fn{params: v.typ.params, results: v.typ.results, cost: v.cost}, v.name)
		}
	case 1, 2:
		if v, f := g.pickMethod(); f != nil {
			return g.callFn(f, v.name+"."+f.name)
		}
	}
	var list []*fn
	for _, f := range g.funcs {
		if !f.pure && g.affords(f.cost) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return nil
	}
	f := list[g.n(len(list))]
	return g.callFn(f, f.name)
}

// pickMethod returns a variable and a method that may be called on it.
func (g *gen) pickMethod() (*variable, *fn) {
	methods := func(v *variable) []*fn {
		t := v.typ
		if t.kind == kPtr {
			t = t.elem
		}
		list := t.methods
		if t.kind == kStruct && t.fields[0].name == t.fields[0].typ.name {
			list = append(list[:len(list):len(list)], t.fields[0].typ.methods...)
		}
		var ok []*fn
		for _, m := range list {
			if g.affords(m.cost) && !(m.ptrRecv && v.ro && v.typ.kind != kPtr) {
				ok = append(ok, m)
			}
		}
		return ok
	}
	v := g.pickVar(func(v *variable) bool { return len(methods(v)) > 0 })
	if v == nil {
		return nil, nil
	}
	list := methods(v)
	return v, list[g.n(len(list))]
}

// callFn calls f by the name callee and keeps the results, in new variables or in plain ones: other
// destinations might be evaluated before or after the call.
func (g *gen) callFn(f *fn, callee string) []*node {
	g.cost += g.mult * f.cost
	call := text{callee, "(", g.args(f, 2), ")"}
	if len(f.results) == 0 {
		return []*node{line(call)}
	}
	if len(f.results) == 1 && g.chance(30) {
		v := g.pickVar(func(v *variable) bool { return v.typ.is(f.results[0]) && !v.ro })
		if v != nil {
			return []*node{line(v.name, " = ", call)}
		}
	}
	var names []string
	for _, t := range f.results {
		v := g.declare(&variable{name: g.fresh("v"), typ: t})
		if t.kind == kFunc {
			v.ro, v.cost = true, leafCost
		}
		names = append(names, v.name)
	}
	list := strings.Join(names, ", ")
	blanks := strings.TrimSuffix(strings.Repeat("_, ", len(names)), ", ")
	return []*node{line(list, " := ", call, "; ", blanks, " = ", list)}
}

// closureStmt declares a function literal with a body of its own.
func (g *gen) closureStmt() []*node {
	if g.nest > 2 {
		return nil
	}
	t := funcOf(nil, nil)
	for range g.n(3) {
		t.params = append(t.params, g.randType())
	}
	for range g.n(3) {
		t.results = append(t.results, g.randType())
	}
	t.name = "func" + signature(t.params, t.results)
	v := &variable{name: g.fresh("c"), typ: t, ro: true}
	cost, mult, limit := g.cost, g.mult, g.limit
	g.cost, g.mult, g.limit = 1, 1, min(limit-cost, functionCost/4)
	var n *node
	g.closed(&funcCtx{results: t.results, guarded: g.fc.guarded}, func() {
		f := &fn{params: t.params}
		n = block(text{v.name, " := func(" + g.params(f) + ")" + resultList(t.results)}, nil)
		g.nest++
		body := g.stmts(g.between(1, 4))
		if len(t.results) > 0 {
			body = append(body, g.returnStmt(true))
		}
		n.parts[0].body = body
	})
	v.cost = g.cost
	g.cost, g.mult, g.limit = cost+mult, mult, limit
	n.tail = "}; _ = " + v.name
	g.declare(v)
	return []*node{n}
}

// closureList makes closures in a loop and calls them after it.
func (g *gen) closureList() []*node {
	n := g.rounds(6)
	if n == 0 || g.mult > 40 {
		return nil
	}
	g.pan = 0
	g.cost += 10 * n * g.mult
	t := g.randBasic()
	fs, k := g.fresh("fs"), g.fresh("k")
	i := g.declare(&variable{name: g.fresh("i"), typ: intType, ro: true, bound: n})
	own := g.value(t, 2)
	kv := g.declare(&variable{name: k, typ: t})
	e := g.value(t, 2)
	g.scope = g.scope[:len(g.scope)-2]
	body := []*node{line("_ = ", i.name), line(k, " := ", own),
		line(fs, " = append(", fs, ", func() ", t.name, " { ", k, " = ", e, "; return ", k, " })")}
	if g.chance(50) {
		body = append(body, g.mixExpr(mk(t, kv.name))...)
	}
	call := g.mixExpr(mk(t, "x"))
	return []*node{line("var ", fs, " []func() ", t.name), block(text{fmt.Sprintf("for %s := range %d", i.name, n)}, body),
		block(text{"for i := range 2*len(", fs, ")"}, append([]*node{line("x := ", fs, "[i/2]()")}, call...))}
}

// methodValue binds a method to its receiver, or uses a method expression.
func (g *gen) methodValue() []*node {
	v, f := g.pickMethod()
	if f == nil || f.variadic || f.depth > 0 || f.inferred {
		return nil
	}
	c := &variable{name: g.fresh("c"), typ: funcOf(f.params, f.results), ro: true, cost: f.cost + 1}
	return []*node{g.define(c, mk(c.typ, v.name+"."+f.name))}
}

func (g *gen) deferStmt() []*node {
	if g.mult > 20 {
		return nil
	}
	if g.chance(40) {
		return []*node{line("defer mix(uint64(", g.operand(g.randInt(), 2), "))")}
	}
	n := block(text{"defer func()"}, nil)
	n.tail = "}()"
	g.closed(&funcCtx{}, func() {
		g.nest += 2
		if g.chance(25) {
			n.parts[0].body = append(n.parts[0].body,
				block(text{"if e := recover(); e != nil"}, []*node{line("mixS(panicText(e))")}))
		}
		n.parts[0].body = append(n.parts[0].body, g.stmts(g.between(1, 2))...)
	})
	return []*node{n}
}

// guarded returns statements whose panics are recovered and shown.
func (g *gen) guarded(before []*node, gen func() []*node) *node {
	n := block(text{"func()"}, nil)
	n.tail = "}()"
	g.closed(&funcCtx{guarded: true}, func() {
		g.nest++
		n.parts[0].body = append(append([]*node{line(fmt.Sprintf("defer guard(%q)", g.fresh("guard")))}, before...), gen()...)
	})
	return n
}

func (g *gen) guardStmt() []*node {
	if g.nest > 2 {
		return nil
	}
	return []*node{g.guarded(nil, func() []*node { return g.stmts(g.between(2, 6)) })}
}

// mixExpr puts an expression into the checksum.
func (g *gen) mixExpr(e *expr) []*node {
	t := e.typ
	switch {
	case t.isInt():
		return []*node{line("mix(uint64(", e, "))")}
	case t.isFloat():
		return []*node{line("mixF(float64(", e, "))")}
	case t.kind == kBool:
		return []*node{line("mix(bit(", e, "))")}
	case t.kind == kString:
		return []*node{line("mixS(string(", e, "))")}
	case t.printable() && g.mult < 10:
		return []*node{line("mixAny(", e, ")")}
	}
	return []*node{line("_ = ", e)}
}

// observe prints a value, or puts it into the checksum.
func (g *gen) observe() []*node {
	t := g.randBasic()
	if v := g.pickVar(func(v *variable) bool { return v.typ.printable() }); v != nil && g.chance(60) {
		t = v.typ
	}
	e := g.expr(t, 2)
	if g.mult > 2 {
		return g.mixExpr(e)
	}
	return []*node{line("show(", fmt.Sprintf("%q", g.fresh("")), ", ", e, ")")}
}

func (g *gen) showVar(v *variable) *node {
	switch {
	case v.typ.printable():
		return line(fmt.Sprintf("show(%q, %s)", strings.TrimPrefix(v.name, g.pre), v.name))
	case v.typ.kind == kPtr && v.typ.elem.printable():
		return line(fmt.Sprintf("show(%q, *%s)", v.name, v.name))
	}
	return nil
}

// returnStmt returns from the function.
func (g *gen) returnStmt(last bool) *node {
	n := line("return")
	n.keep = last
	h := &n.parts[0].head
	for i, t := range g.fc.results {
		*h = append(*h, []string{" ", ", "}[min(i, 1)], g.value(t, 2))
	}
	return n
}

// jumpStmt leaves a loop, a round or the function if a condition holds.
func (g *gen) jumpStmt() []*node {
	if g.nest == 0 {
		return nil
	}
	n := block(text{"if ", g.cond()}, nil)
	switch {
	case len(g.fc.loops) == 0 || g.chance(10):
		if g.chance(60) {
			return nil
		}
		n.parts[0].body = []*node{g.returnStmt(false)}
	default:
		s := []string{"break", "continue"}[g.n(2)]
		if l := g.fc.loops[g.n(len(g.fc.loops))]; g.chance(60) {
			l.used = true
			s += " " + l.label
		}
		n.parts[0].body = []*node{line(s)}
	}
	return []*node{n}
}

func (g *gen) gotoStmt() []*node {
	l := g.fresh("L")
	if g.nest > 2 {
		return nil
	}
	if g.chance(50) {
		// Forward, over a block.
		n := block(text{"if ", g.cond()}, []*node{line("goto " + l)})
		over := &node{parts: []part{{head: text{"{"}, body: g.nested(2)}}, tail: "}"}
		return []*node{n, over, line(l + ":\nmix(1)")}
	}
	k := g.rounds(6)
	if k == 0 {
		return nil
	}
	i := g.fresh("i")
	mult := g.mult
	g.mult *= k
	body := append([]*node{line(i + "++")}, g.nested(2)...)
	g.mult = mult
	loop := block(text{fmt.Sprintf("%s:\nif %s < %d", l, i, k)}, append(body, line("goto "+l)))
	return []*node{{parts: []part{{head: text{"{"}, body: []*node{line(i + " := 0"), loop}}}, tail: "}"}}
}
