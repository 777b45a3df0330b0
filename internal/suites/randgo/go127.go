package randgo

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What Go 1.27 adds to 1.26: methods with type parameters, and promoted fields as keys of composite
// literals. Programs for Go 1.26 draw nothing here, so a seed still gives the same program.

// shapes127 are shapes of programs for Go 1.27 and later.
var shapes127 = []func(g *gen) []*node{
	(*gen).ownTypeParams, (*gen).ownTypeParams, (*gen).promotedKeys, (*gen).promotedKeys,
}

func (g *gen) has127() bool { return g.minor >= 27 }

// genericMethod generates a method with a type parameter. It adds it with three type arguments, and
// once with inference.
func (g *gen) genericMethod(recv *typ) {
	tp := &typ{kind: kParam, name: "T"}
	f := &fn{name: g.fresh("M"), params: []*typ{tp}, results: []*typ{tp}}
	leave := g.enter(&funcCtx{results: f.results}, pureCost)
	g.pure, g.tparam, g.scope = true, tp, g.values()
	if g.chance(50) {
		f.params = append(f.params, []*typ{tp, intType, g.randBasic(), arrayOf(4, tp)}[g.n(4)])
	}
	self := g.declare(&variable{name: "self", typ: recv})
	if f.ptrRecv = g.chance(50); f.ptrRecv {
		self.typ, self.ro = ptrTo(recv), true
	}
	g.budget = g.between(1, 4)
	head := "func (self " + self.typ.name + ") " + f.name + "[T integer](" + g.params(f) + ") T"
	body := append(g.stmts(g.budget), g.returnStmt(true))
	f.cost = leave()
	g.decls = append(g.decls, block(text{head}, body))
	for i := range 4 {
		t := g.randInt()
		inst := *f
		if inst.inferred = i == 3; !inst.inferred {
			inst.name += "[" + t.name + "]"
		}
		inst.params, inst.results = slices.Clone(f.params), []*typ{t}
		for i, p := range f.params {
			switch {
			case p == tp:
				inst.params[i] = t
			case p.kind == kArray && p.elem == tp:
				inst.params[i] = arrayOf(p.n, t)
			}
		}
		recv.methods = append(recv.methods, &inst)
	}
}

// ownTypeParams has methods with type parameters of a plain and a generic type, promoted through
// structs. It uses them in functions with type parameters of their own, and in functions that know
// all types.
func (g *gen) ownTypeParams() []*node {
	o := &ownParams{g: g, plain: g.fresh(g.pre + "P"), box: g.fresh(g.pre + "G"), outer: g.fresh(g.pre + "O"),
		use: g.fresh(g.pre + "use")}
	star := g.pick("", "*")
	g.decls = append(g.decls,
		line(fmt.Sprintf("type %s struct { p int; pad [%d]int8 }", o.plain, g.n(4))),
		line(fmt.Sprintf("type %s[E integer] struct { v E; n int }", o.box)),
		line(fmt.Sprintf("type %s[E integer] struct { k E; %s%s[E]; *%s }", o.outer, star, o.box, o.plain)))
	if star != "" {
		o.addr = "&"
	}
	x, e := param("x", &typ{kind: kParam, name: "T"}), param("e", &typ{kind: kParam, name: "E"})
	expr := func(t *typ, vars ...*variable) (e *expr) {
		g.own(nil, func() []*node {
			g.tparam, g.scope = t, nil
			for _, v := range vars {
				g.declare(v)
			}
			e = g.value(t, 2)
			return nil
		})
		return e
	}
	noinline := func() string { return g.pick("", "", "//go:noinline\n") }
	// Methods of the plain type.
	g.decl(noinline()+"func (p "+o.plain+") Conv[T integer](x T) T", line("return T(p.p) "+g.pick("+", "-", "^", "*")+" ", expr(x.typ, x)))
	g.decl(noinline()+"func (p *"+o.plain+") Step[T integer](x T) T",
		line("p.p "+g.pick("+", "-", "^")+"= int(", expr(x.typ, x), ")"), line("return T(p.p)"))
	g.decl("func (p "+o.plain+") Where[T integer](x T) T", line("pc, _, _, _ := runtime.Caller(0)"),
		line("mixS(runtime.FuncForPC(pc).Name())"), line("return x + T(p.p)"))
	g.decl("func (p *"+o.plain+") Pair[T, U integer](x T, u U) (U, T)", line("p.p++"), line("return U(x), T(u)"))
	g.decl("func (p "+o.plain+") Sum[T integer](list ...T) (s T)", block(text{"for _, x := range list"}, []*node{line("s = s*3 + x")}), line("return s + T(p.p)"))
	g.decl("func (p *"+o.plain+") Recover[T integer](x T)", line("e := recover()"), line("mixS(panicText(e))"), line("mix(uint64(x))"))
	// Methods of the generic type.
	g.decl(noinline()+"func (g "+o.box+"[E]) Map[T integer](e E, f func(E) T) T", line("return f(g.v "+g.pick("+", "-", "&")+" e)"))
	g.decl(noinline()+"func (g *"+o.box+"[E]) Acc[T integer](x T) E",
		line("g.v "+g.pick("+", "-", "^", "*")+"= E(", expr(x.typ, x), ")"), line("g.n++"), line("return ", expr(e.typ, param("g.v", e.typ))))
	g.decl("func (g "+o.box+"[E]) Get() E", line("return g.v"))
	g.decl("func (g *"+o.box+"[E]) Via[S interface { Get() E }](s S) E", line("f := s.Get"), line("g.v ^= f()"), line("return g.v + s.Get()"))
	g.decl("func (g *"+o.box+"[E]) Fold[T integer, F ~func(E, T) E](f F, list ...T) (e E)",
		line("e = g.v"), block(text{"for _, x := range list"}, []*node{line("e = f(e, x)")}), line("return e"))
	g.decl("func (g "+o.box+"[E]) Later[T integer](x T) func() T", line("return func() T { x++; return x + T(g.v) }"))
	g.decl("func (g "+o.box+"[E]) All[T integer](n T) iter.Seq2[T, E]",
		block(text{"return func(yield func(T, E) bool)"}, []*node{block(text{"for i := range 3"},
			[]*node{block(text{"if !yield(n+T(i), g.v)"}, []*node{line("return")})})}))
	g.decl("func (g "+o.box+"[E]) Send[T integer](c chan<- T, x T)", line("c <- x ^ T(g.v)"))
	// Recursion, with the type arguments exchanged: there are two instances of each.
	again := g.pick("g.Down[E](n-1, E(x))", "g.Down(n-1, E(x))", "(*"+o.box+"[E]).Down[E](g, n-1, E(x))",
		"(&"+o.box+"[T]{T(g.v), g.n}).Down[E](n-1, E(x))", "func() E { f := g.Down[E]; return f(n-1, E(x)) }()")
	g.decl("func (g *"+o.box+"[E]) Down[T integer](n int, x T) E", block(text{"if n <= 0"}, []*node{line("return E(x) - g.v")}),
		line("g.v += E(n)"), line("return E("+again+")"+g.pick(" + 1", " ^ g.v", "")))

	var body []*node
	for range g.between(3, 8) {
		body = append(body, g.ownTypeParamUse(o, "E", "T", "e", "x"))
	}
	g.decl(g.pick("", "//go:noinline\n")+"func "+o.use+"[E, T integer](e E, x T)", body...)
	var list []*node
	for range g.between(1, 3) {
		list = append(list, line(o.use+"(", g.value(g.randInt(), 1), ", ", g.value(g.randInt(), 1), ")"))
	}
	for range g.between(2, 6) {
		list = append(list, g.ownTypeParamUse(o, g.randInt().name, g.randInt().name, "", ""))
	}
	return list
}

// ownParams are the names of a shape with generic methods.
type ownParams struct {
	g                      *gen
	plain, box, outer, use string
	addr                   string // the operator before a box in outer
}

// ownTypeParamUse uses methods with type parameters where the type argument of the box is e and
// that of the method t; ev and xv are values of these types, or empty.
func (g *gen) ownTypeParamUse(o *ownParams, e, t, ev, xv string) *node {
	val := func(of, name string) any {
		if name != "" {
			return g.pick(name, name+"+1", "-"+name, of+"(7)")
		}
		return g.value(ints[slices.IndexFunc(ints, func(u *typ) bool { return u.name == of })], 1)
	}
	evalue, xvalue := val(e, ev), val(t, xv)
	if _, isText := evalue.(string); !isText {
		evalue, xvalue = text{e, "(", evalue, ")"}, text{t, "(", xvalue, ")"}
	}
	box, outer := o.box+"["+e+"]", o.outer+"["+e+"]"
	local := line("")
	in, lplain, louter := "", "", ""
	if g.chance(20) {
		// A type local to the function.
		in = g.fresh("L")
		lplain, louter = g.pick(outer, "*"+outer), in
		local = line("type " + in + " struct { " + lplain + " }; _ = " + in + "{}")
	}
	set := []*node{
		line("a, x := ", evalue, ", ", xvalue, "; _, _ = a, x"),
		line("b := " + box + "{a, 1}; p := " + o.plain + "{p: 3}; o := " + outer + "{a, " + o.addr + "b, &p}; _, _ = o, b"),
		local,
	}
	if in != "" {
		set = append(set, line("l := "+louter+"{"+strings.Repeat("&", strings.Count(lplain, "*"))+"o}; _ = l"))
	}
	// A receiver, with the type in a method expression.
	type receiver struct{ typ, value string }
	boxes := []receiver{{"*" + box, "&b"}, {"*" + outer, "&o"}}
	plains := []receiver{{"*" + o.plain, "&p"}, {outer, "o"}, {"*" + outer, "&o"}}
	if o.addr != "" {
		boxes = append(boxes, receiver{outer, "o"})
	}
	if in != "" {
		boxes, plains = append(boxes, receiver{"*" + in, "&l"}), append(plains, receiver{in, "l"})
	}
	boxValues, plainValues := append(boxes, receiver{box, "b"}), append(plains, receiver{o.plain, "p"})
	if o.addr == "" {
		boxValues = append(boxValues, receiver{outer, "o"})
	}
	nilOf := func(r receiver) string {
		if strings.HasPrefix(r.typ, "*") && g.chance(8) {
			return "(" + r.typ + ")(nil)"
		}
		return r.value
	}
	one := func(list []receiver) receiver { return list[g.n(len(list))] }
	type method struct {
		recv     []receiver
		name     string
		explicit string // type arguments
		args     string
		result   string // makes statements of the call
	}
	const number, nothing = "mix(uint64(%s))", "%s"
	fn := func(from, to string) string { return "func(y " + from + ") " + to + " { return " + to + "(y) * 3 }" }
	methods := []method{
		{plainValues, "Conv", t, "x", number}, {plains, "Step", t, "x", number}, {plainValues, "Where", t, "x", number},
		{plains, "Pair", t + ", " + e, "x, a", "{ u, v := %s; mix(uint64(u)); mix(uint64(v)) }"},
		{plainValues, "Sum", t, g.pick("x, x+1", "x", "[]"+t+"{x, 2, 3}..."), number},
		{boxValues, "Map", t, "a, " + fn(e, t), number}, {boxes, "Acc", t, "x", number}, {boxes, "Down", t, fmt.Sprint(g.n(5)) + ", x", number},
		{boxes, "Via", box, "b", number}, {boxes, "Via", "*" + box, "&b", number}, {boxes, "Via", outer, "o", number},
		{boxes, "Fold", t + ", func(" + e + ", " + t + ") " + e, "func(y " + e + ", z " + t + ") " + e + " { return y*5 ^ " + e + "(z) }, x, x+1", number},
		{boxValues, "Later", t, "x", "{ f := %s; f(); mix(uint64(f())) }"},
		{boxValues, "All", t, "x", "for i, y := range %s { mix(uint64(i) ^ uint64(y)); if i&1 == 1 { break } }"},
	}
	m := methods[g.n(len(methods))]
	r := one(m.recv)
	typ := r.typ
	if strings.HasPrefix(typ, "*") {
		typ = "(" + typ + ")"
	}
	args := "[" + m.explicit + "]"
	inferred := args
	if g.chance(40) {
		inferred = "" // inferred from a call's arguments
	}
	result := func(call string) *node { return line(fmt.Sprintf(m.result, call)) }
	value := nilOf(r)
	selected := "(" + value + ")"
	named := line("")
	if g.chance(30) {
		// The name of f, and that of a later literal, which has the next number.
		named = line("for _, f := range []any{f, func() {}} { mixS(runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()); mixS(fmt.Sprintf(\"%T\", f)) }")
	}
	var use []*node
	switch g.n(11) {
	case 0, 1:
		use = []*node{result(selected + "." + m.name + inferred + "(" + m.args + ")")}
	case 2, 3:
		use = []*node{result(typ + "." + m.name + inferred + "(" + value + ", " + m.args + ")")}
	case 4:
		use = []*node{line("f := " + selected + "." + m.name + args), named, line("b.v++; p.p++"), result("f(" + m.args + ")"), result("f(" + m.args + ")")}
	case 5:
		use = []*node{line("f := " + typ + "." + m.name + args), named, line("b.v++; p.p++"), result("f(" + value + ", " + m.args + ")")}
	case 6:
		use = []*node{line("f := opaque(" + typ + "." + m.name + args + ")"), named, result("f(" + value + ", " + m.args + ")")}
	case 7:
		call := typ + "." + m.name + inferred + "(" + value + ", " + m.args + ")"
		if g.chance(50) {
			call = selected + "." + m.name + inferred + "(" + m.args + ")"
		}
		use = []*node{scoped(line("func() {"), line("defer "+call), line("b.v++; mixS(\"deferred\")"), line("}()")), line("mix(uint64(b.v))")}
	case 8:
		// A deferred call recovers.
		r := one(plains)
		call := "(" + r.typ + ").Recover(" + r.value + ", x)"
		if g.chance(50) {
			call = "(" + r.value + ").Recover[" + t + "](x)"
		}
		use = []*node{line("func() {"), line("defer " + call), line("panic(opaque(\"of the program\"))"), line("}()")}
	case 9:
		r := one(boxValues)
		typ := r.typ
		if strings.HasPrefix(typ, "*") {
			typ = "(" + typ + ")"
		}
		call := typ + ".Send[" + t + "](" + r.value + ", c, x)"
		if g.chance(50) {
			call = "(" + r.value + ").Send(c, x)"
		}
		use = []*node{line("c := make(chan " + t + ", 1)"), line("go " + call), line("mix(uint64(<-c))")}
	default:
		// It is in no method set.
		use = []*node{line("_, ok := opaque(any(&b)).(interface { Acc(" + t + ") " + e + " }); mix(bit(ok)); mix(uint64(reflect.TypeOf(&b).NumMethod()))"),
			line("mixS(func() string { f := " + typ + "." + m.name + args + "; return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }())")}
	}
	body := append([]*node{line(fmt.Sprintf("defer guard(%q)", g.fresh("guard")))}, append(set, use...)...)
	body = append(body, line("mix(uint64(b.v)); mix(uint64(b.n)); mix(uint64(p.p)); mix(uint64(o.k))"))
	n := block(text{"func()"}, body)
	n.tail = "}()"
	return n
}

// promotedLiteral returns a literal of a struct in which promoted fields occur beside the struct's
// own.
func (g *gen) promotedLiteral(t *typ, d int) *expr {
	e := mk(t, t.name+"{")
	taken := map[string]bool{}
	var fields func(t *typ)
	fields = func(t *typ) {
		above := maps.Clone(taken)
		for _, f := range t.fields {
			taken[f.name] = true
		}
		for _, f := range t.fields {
			switch {
			case above[f.name]: // the shallower field has the name
			case f.name == f.typ.name && g.chance(70):
				fields(f.typ)
			case g.chance(80):
				if len(e.parts) > 1 {
					e.parts = append(e.parts, ", ")
				}
				e.parts = append(e.parts, f.name+": ", g.value(f.typ, min(d, 2)))
			}
		}
	}
	fields(t)
	e.parts = append(e.parts, "}")
	return e
}

// A keyed is a struct type whose literals have promoted fields as keys.
type keyed struct {
	name   string
	fields []keyedField
}

type keyedField struct {
	name     string
	typ      *typ   // of a leaf
	embedded *keyed // otherwise a struct
	ptr      bool
}

// promotedKeys fills nested structs by literals whose keys name fields at any depth.
func (g *gen) promotedKeys() []*node {
	param := &typ{kind: kParam, name: "E"}
	generic := g.chance(40)
	arg, args := "", ""
	if generic {
		arg, args = "[E integer]", "[E]"
	}
	var all []*keyed
	for i := range g.between(2, 5) {
		k := &keyed{name: g.fresh(g.pre + "K")}
		used := map[string]bool{}
		for range g.between(1, 4) {
			// Names recur at other depths.
			f := keyedField{name: string(rune('a' + g.n(7))), typ: g.randBasic()}
			if generic && g.chance(40) {
				f.typ = param
			}
			if !used[f.name] {
				used[f.name] = true
				k.fields = append(k.fields, f)
			}
		}
		for range min(i, g.between(1, 2)) {
			e := all[g.n(len(all))]
			if !used[e.name] {
				used[e.name] = true
				at := g.n(len(k.fields) + 1)
				k.fields = slices.Insert(k.fields, at, keyedField{name: e.name, embedded: e, ptr: g.chance(15)})
			}
		}
		d := block(text{"type " + k.name + arg + " struct"}, nil)
		for _, f := range k.fields {
			switch {
			case f.embedded == nil:
				d.parts[0].body = append(d.parts[0].body, line(f.name+" "+f.typ.name))
			case f.ptr:
				d.parts[0].body = append(d.parts[0].body, line("*"+f.name+args))
			default:
				d.parts[0].body = append(d.parts[0].body, line(f.name+args))
			}
		}
		g.decls = append(g.decls, d)
		all = append(all, k)
	}
	root := all[len(all)-1]
	var body []*node
	inst := args
	if generic {
		// In a function that is also generic.
		body = g.own(nil, func() []*node {
			g.tparam, g.scope = param, nil
			g.declare(&variable{name: "e", typ: param})
			return g.keyedUses(root, inst)
		})
		name := g.fresh(g.pre + "keys")
		g.decl("func "+name+"[E integer](e E)", body...)
		return []*node{line(name+"(", g.value(g.randInt(), 1), ")"), line(name+"(", g.value(g.randInt(), 1), ")")}
	}
	return g.own(nil, func() []*node { return g.keyedUses(root, inst) })
}

// logged declares a function that shows the order in which values are computed.
func (g *gen) logged() string {
	name := g.pre + "logged"
	if !g.logs {
		g.logs = true
		g.decl("func "+name+"[T any](name string, x T) T", line("mixS(name)"), line("return x"))
	}
	return name
}

// keyedUses returns statements with literals of a type.
func (g *gen) keyedUses(root *keyed, args string) (list []*node) {
	typ := root.name + args
	for range g.between(1, 3) {
		k := g.fresh("k")
		switch g.n(6) {
		case 0, 1:
			list = append(list, line(k+" := "+typ, g.keyedLiteral(root, args)))
		case 2:
			list = append(list, line(k+" := *&"+typ, g.keyedLiteral(root, args)))
		case 3:
			list = append(list, line("s"+k+" := []"+typ+"{", g.keyedLiteral(root, args), ", ", g.keyedLiteral(root, args), fmt.Sprintf("}; %s := s%[1]s[%d]", k, g.n(2))))
		case 4:
			list = append(list, line("s"+k+" := map[string]*"+typ+"{\"k\": ", g.keyedLiteral(root, args), "}; "+k+" := *s"+k+"[\"k\"]"))
		default:
			// Old contents do not remain.
			list = append(list, line(k+" := "+typ, g.keyedLiteral(root, args), "; for range 2 { "+k+" = "+typ, g.keyedLiteral(root, args), " }"))
		}
		list = append(list, g.keyedMix(root, k, 0)...)
	}
	return list
}

// keyedMix puts a value's contents into the checksum.
func (g *gen) keyedMix(k *keyed, path string, depth int) (list []*node) {
	for _, f := range k.fields {
		at := path + "." + f.name
		switch {
		case f.embedded == nil:
			list = append(list, g.mixed(f.typ, at))
		case f.ptr:
			list = append(list, block(text{"if " + at + " != nil"}, g.keyedMix(f.embedded, at, depth+1)))
		default:
			list = append(list, g.keyedMix(f.embedded, at, depth+1)...)
		}
	}
	return list
}

// keyedLiteral returns a literal of a type, without the type. Calls in it show their order.
func (g *gen) keyedLiteral(k *keyed, args string) text {
	var entries []text
	var add func(in *keyed)
	add = func(in *keyed) {
		for _, f := range in.fields {
			if !k.reaches(f.name, in) {
				continue // another field of that name is less deep, or equally deep
			}
			switch {
			case f.embedded == nil:
				if g.chance(65) {
					v := any(g.value(f.typ, 1))
					if g.chance(30) {
						v = text{fmt.Sprintf("%s(%q, ", g.logged(), f.name), v, ")"}
					}
					entries = append(entries, text{f.name + ": ", v})
				}
			case f.ptr:
				if g.chance(60) {
					entries = append(entries, text{f.name + ": &" + f.name + args, g.keyedLiteral(f.embedded, args)})
				}
			case g.chance(30):
				entries = append(entries, text{f.name + ": " + f.name + args, g.keyedLiteral(f.embedded, args)})
			default:
				add(f.embedded)
			}
		}
	}
	add(k)
	g.r.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	t := text{"{"}
	for i, e := range entries {
		if i > 0 {
			t = append(t, ", ")
		}
		t = append(t, e)
	}
	return append(t, "}")
}

// reaches reports whether a name means a field of in, in a literal of type k: no other field of the
// name is less deep or equally deep.
func (k *keyed) reaches(name string, in *keyed) bool {
	for level := []*keyed{k}; len(level) > 0; {
		var next []*keyed
		var found []*keyed
		for _, s := range level {
			for _, f := range s.fields {
				if f.name == name {
					found = append(found, s)
				}
				if f.embedded != nil {
					next = append(next, f.embedded)
				}
			}
		}
		if len(found) > 0 {
			return len(found) == 1 && found[0] == in
		}
		level = next
	}
	return false
}
