package randgo

import "fmt"

// pointersInto has moving pointers to elements of arrays and slices and to their fields, while the
// elements are also written by name.
func (g *gen) pointersInto() []*node {
	t := g.randBasic()
	n := g.between(2, 9)
	a, i := g.fresh("a"), g.declare(&variable{name: g.fresh("i"), typ: intType, ro: true})
	e := g.declare(&variable{name: g.fresh("e"), typ: t})
	defer func() { g.scope = g.scope[:len(g.scope)-2] }()
	elem, at := t.name, ""
	if g.chance(40) {
		elem, at = fmt.Sprintf("struct { v %s; n int }", t.name), ".v"
	}
	decl := fmt.Sprintf("var %s [%d]%s", a, n, elem)
	switch g.n(3) {
	case 0:
		decl = fmt.Sprintf("%s := make([]%s, %d)", a, elem, n)
	case 1:
		decl = fmt.Sprintf("%s := new([%d]%s)", a, n, elem)
	}
	index := func() string {
		return g.pick(fmt.Sprint(g.n(n)), fmt.Sprintf("%s%%%d", i.name, n), fmt.Sprintf("(%s+%d)%%%d", i.name, g.n(9), n))
	}
	elemAt := func() string { return a + "[" + index() + "]" + at }
	list := []*node{line(decl), line(fmt.Sprintf("p, q := &%s[%d]%s, &%[1]s[%[4]d]%[3]s", a, g.n(n), at, g.n(n))),
		line("s := " + a + "[" + fmt.Sprint(g.n(2)) + ":]"), line("var " + e.name + " " + t.name), line("_, _, _ = p, q, s")}
	var body []*node
	for range g.between(3, 9) {
		body = append(body, []*node{
			line("*p = ", g.value(t, 2)), line("*q = ", g.value(t, 1)), line(elemAt()+" = ", g.value(t, 2)),
			line(e.name + " = *p"), line(e.name + " = " + elemAt()),
			line("p = &" + elemAt()), line("q = &" + elemAt()), line("p, q = q, p"), line("*p, *q = *q, *p"), line("*q = *p"),
			line("mix(bit(p == q))"),
			line("s = s[:len(s):len(s)]; s = append(s, s[0]); s[0]" + at + " = *p; if len(s) > 12 { s = s[:3] }"),
			line("p = &s[len(s)-1]" + at), line("copy(s, " + a + "[:])"),
			line("func(x *" + t.name + ") { *x, " + elemAt() + " = " + elemAt() + ", *x }(p)"),
			block(text{"if p == &" + elemAt()}, []*node{line("*p = ", g.value(t, 1))}),
			line("for k := range " + a + " { if &" + a + "[k]" + at + " == q { mix(uint64(k)) } }"),
		}[g.n(17)])
	}
	list = append(list, block(text{fmt.Sprintf("for %s := range %d", i.name, g.between(2, 12))},
		append(body, line("_ = ", i.name), g.mixed(t, "*p"), g.mixed(t, e.name))))
	return append(list, block(text{"for k := range " + a}, []*node{g.mixed(t, a+"[k]"+at)}), g.mixed(t, "s[0]"+at))
}

// complexOrbit iterates functions of complex numbers.
func (g *gen) complexOrbit() []*node {
	t := basic[kComplex64+kind(g.n(2))]
	o := basic[kComplex64+kComplex128-t.kind]
	z, c := g.declare(&variable{name: g.fresh("z"), typ: t}), g.declare(&variable{name: g.fresh("z"), typ: t, ro: true})
	defer func() { g.scope = g.scope[:len(g.scope)-2] }()
	steps := []string{"z*z + c", "z*c - z", "z/" + t.name + "(plain(complex128(c+2)))",
		"complex(real(z)*real(z)-imag(z)*imag(z), 2*real(z)*imag(z)) + c", "complex(imag(z), -real(z))", "-z",
		"z + complex(0, 1)", t.name + "(" + o.name + "(z) * 0.5)", "z * complex(real(c), -imag(c))", "c"}
	step := func() string { return g.pick(steps...) }
	body := []*node{line("z = " + step())}
	for range g.between(1, 4) {
		body = append(body, []*node{
			line("z = " + step()), line("z, w[k%3] = w[k%3], z"), line("z += ", g.value(t, 1)),
			block(text{"if real(z)*real(z)+imag(z)*imag(z) > " + fmt.Sprint(g.between(2, 50))},
				[]*node{line(g.pick("break", "z /= 4", "z = c"))}),
			block(text{"if z == c || z != z"}, []*node{line("z = " + t.name + "(complex(0.5, float64(k)))")}),
			line("x, y := real(z), imag(z); z = complex(y, x)"), line("p := &w[k&1]; *p += z; z = *p - c"),
			line("f := func(u " + t.name + ") " + t.name + " { return u*z + 1 }; z = f(c)"),
		}[g.n(8)])
	}
	var in []*node
	for _, n := range body {
		in = append(in, scoped(n)) // a step may declare names; a break still leaves the loop
	}
	in = append(in, line("_, _ = k, c"), line("mixF(float64(real(z))); mixF(float64(imag(z)))"))
	return []*node{line("var w [3]"+t.name+"; "+c.name+" := ", g.ownExpr(t, 2)),
		line("z, c := ", g.ownExpr(t, 1), ", "+c.name), line("var " + z.name + " " + t.name + "; _ = " + z.name),
		block(text{fmt.Sprintf("for k := range %d", g.between(2, 20))}, in),
		line("mixAny(floatBits(float64(real(w[1] + z))))")}
}

// changedSlice ranges over slices and arrays that the body changes, grows and shortens.
func (g *gen) changedSlice() []*node {
	t := g.randBasic()
	st := sliceOf(t)
	i := g.declare(&variable{name: g.fresh("i"), typ: intType, ro: true})
	x := g.declare(&variable{name: g.fresh("x"), typ: t})
	defer func() { g.scope = g.scope[:len(g.scope)-2] }()
	n := g.between(2, 8)
	over := g.pick("s", "s", "s[1:]", "s[:len(s)/2]", "a", "&a", "append([]"+t.name+"(nil), s...)")
	var body []*node
	for range g.between(2, 5) {
		body = append(body, []*node{
			line("s[(", i.name, "+1)%len(s)] = ", g.value(t, 2)), line("s = append(s[:len(s):len(s)], " + x.name + ")"),
			block(text{"if len(s) > 2"}, []*node{line("s = s[:len(s)-1]")}),
			line("a[", i.name, fmt.Sprintf("%%%d] = ", n), g.value(t, 1)), line(x.name, " = ", g.value(t, 1)),
			line("s = s[:max(1, len(s)/2)]"), block(text{"if ", g.cond()},
				[]*node{line(g.pick("continue", "s = append([]"+t.name+"{}, a[:]...)", "break"))}),
			g.mixed(t, x.name), g.mixed(t, "s[0]"), line("copy(s, a[:])"),
			block(text{"if len(s) > 40"}, []*node{line("s = s[:4]")}),
		}[g.n(11)])
	}
	body = append([]*node{line("_, _ = ", i.name, ", ", x.name)},
		append(body, g.mixed(t, x.name), line("mix(uint64(len(s)))"))...)
	scope := g.scope
	g.scope = g.scope[:len(g.scope)-2]
	s := g.list(st, n, 1)
	g.scope = scope
	return []*node{line("s := ", s), line(fmt.Sprintf("a := [%d]%s(s)", n, t.name)),
		block(text{"for " + i.name + ", " + x.name + " := range " + over}, body),
		block(text{"for _, x := range s"}, []*node{g.mixed(t, "x")}),
		block(text{"for _, x := range a"}, []*node{g.mixed(t, "x")})}
}

// changedMap ranges over maps that the body changes so that the final map does not depend on the
// order. The body changes or deletes the current entry by its contents, and the keys distinguish
// new entries from old ones.
func (g *gen) changedMap() []*node {
	key, e := g.randInt(), g.randInt()
	for key.bits() < 16 {
		key = g.randInt()
	}
	n := g.between(1, 60)
	k, x := &variable{name: "k", typ: key, ro: true}, &variable{name: "x", typ: e, ro: true}
	cond, val, fresh := g.ownExpr(boolType, 2, k, x), g.ownExpr(e, 2, k, x), g.ownExpr(e, 1, k, x)
	body := []*node{block(text{"if k >= 1000"}, []*node{line("continue")}), line("sum += x*3 + " + e.name + "(k)")}
	for range g.between(1, 3) {
		body = append(body, []*node{
			block(text{"if ", cond}, []*node{line("delete(m, k)")}), line("m[k+1000] = ", fresh), line("o[k] = ", val),
			line("delete(o, k)"), block(text{"if len(o) > 20"}, []*node{line("_ = o[k]")}),
			line("m[k+2000] = ", val, "; delete(m, k+2000)"), line("for j := range o { if j == k { delete(o, j) } }"),
		}[g.n(7)])
	}
	list := []*node{line(fmt.Sprintf("m, o := map[%s]%s{}, map[%[1]s]%[2]s{}", key.name, e.name)),
		line("var sum " + e.name),
		block(text{fmt.Sprintf("for i := range %s(%d)", key.name, n)}, []*node{line("m[i*7%997] = " + e.name + "(i) ^ 3")}),
		block(text{"for k, x := range m"}, body), line("mix(uint64(sum))")}
	if g.chance(30) {
		list = append(list, block(text{"for range m"}, []*node{line("clear(m)"), line("mix(uint64(len(m)))")}))
	}
	if g.chance(30) {
		list = append(list, line("var none map["+key.name+"]"+e.name),
			block(text{"for k := range none"}, []*node{line("none[k] = 1")}), line("delete(none, 1); mix(uint64(none[2]))"))
	}
	return append(list, line("mixAny(m); mixAny(o)"))
}

// reflection does with package reflect what programs do without it.
func (g *gen) reflection() []*node {
	name, fn := g.fresh(g.pre+"R"), g.fresh(g.pre+"f")
	t, u := g.randInt(), g.randBasic()
	v := g.randBasic()
	g.decls = append(g.decls,
		line(fmt.Sprintf("type %s struct { A %s `key:\"a\"`; B %s; C [2]%s; D []int; E map[string]int; F any; g %[2]s }",
			name, t.name, u.name, v.name)))
	x, b := &variable{name: "x", typ: t}, &variable{name: "b", typ: u}
	self := &variable{name: "r", typ: &typ{kind: kStruct, name: name,
		fields: []field{{"A", t}, {"B", u}, {"D", sliceOf(intType)}}}}
	g.decl("func (r "+name+") Get(x "+t.name+") "+t.name, line("return ", g.ownExpr(t, 2, x, self)))
	g.decl("func (r *"+name+") Set(x "+t.name+", b "+u.name+") (int, "+u.name+")",
		line("r.A, r.B = ", g.ownExpr(t, 1, x, self), ", b"), line("return len(r.D), ", g.ownExpr(u, 1, b, self)))
	g.decl(fmt.Sprintf("func %s(x %s, b %s, more ...int) (%[2]s, string)", fn, t.name, u.name),
		line("for _, y := range more { mix(uint64(y)) }"),
		line("return ", g.ownExpr(t, 2, x, b), ", ", g.ownExpr(strType, 1, b)))
	set := "SetUint(uint64"
	if t.isSigned() {
		set = "SetInt(int64"
	}
	list := []*node{line("r := "+name+"{A: ", g.value(t, 1), ", B: ", g.value(u, 1),
		", D: []int{1, 2, 3}, E: map[string]int{\"k\": 1}, F: int8(3)}"), line("v := reflect.ValueOf(&r).Elem(); _ = v")}
	for range g.between(3, 8) {
		list = append(list, scoped([][]*node{
			{line("for i := range v.NumField() { f := v.Type().Field(i); mixS(f.Name + f.Type.String() + f.Type.Kind().String() + string(f.Tag)); mix(uint64(f.Offset)); mix(bit(v.Field(i).CanSet())) }")},
			{line("v.Field(0)."+set+"(", g.value(t, 1), "))")},
			{line("v.Field(1).Set(reflect.ValueOf(", g.value(u, 1), "))")},
			{line("out := v.Addr().MethodByName(\"Get\").Call([]reflect.Value{reflect.ValueOf(", g.value(t, 1),
				")}); mixS(fmt.Sprint(len(out))); mix(uint64(out[0].Interface().("+t.name+")))")},
			{line("out := v.Addr().Method(1).Call([]reflect.Value{reflect.ValueOf(", g.value(t, 1), "), reflect.ValueOf(",
				g.value(u, 1), ")}); mix(uint64(out[0].Int()))"), g.mixed(u, "out[1].Interface().("+u.name+")")},
			{line("out := reflect.ValueOf("+fn+").Call([]reflect.Value{reflect.ValueOf(", g.value(t, 1), "), reflect.ValueOf(",
				g.value(u, 1), "), reflect.ValueOf(7), reflect.ValueOf(8)}); mixS(out[1].String())")},
			{line("f := reflect.MakeFunc(reflect.TypeOf(" + fn +
				"), func(in []reflect.Value) []reflect.Value { mix(uint64(in[2].Len())); return []reflect.Value{in[0], reflect.ValueOf(fmt.Sprint(in[1].Kind()))} }).Interface().(func(" + t.name + ", " + u.name + ", ...int) (" + t.name + ", string))"),
				line("a, s := f(", g.value(t, 1), ", ", g.value(u, 1), ", 1, 2, 3); mix(uint64(a)); mixS(s)")},
			// no addresses
			{line("mix(bit(reflect.DeepEqual(r.C, [2]" + v.name + "{}))); mix(bit(v.Type().Comparable()))")},
			{line("d := reflect.Append(v.Field(3), reflect.ValueOf(4)); v.Field(3).Set(d.Slice(1, d.Len())); mix(uint64(len(r.D)))")},
			{line("e := v.Field(4); e.SetMapIndex(reflect.ValueOf(\"z\"), reflect.ValueOf(", g.value(intType, 1),
				")); n := 0; for it := e.MapRange(); it.Next(); { n += len(it.Key().String()) + int(it.Value().Int()) }; mix(uint64(n))")},
			{line("reflect.Swapper(r.D)(0, len(r.D)-1); mix(uint64(r.D[0]))")},
			{line("v.Field(5).Set(reflect.ValueOf(", g.value(v, 1), ")); mixS(v.Field(5).Elem().Type().String())")},
			{line("c := reflect.New(v.Type()).Elem(); c.Set(v); mix(bit(c.Field(0).Equal(v.Field(0)))); c.Field(2).Index(1).Set(v.Field(2).Index(0)); mix(bit(c.Field(2).IsZero()))")},
			{line("n := reflect.ValueOf(", g.value(g.randInt(), 1),
				").Convert(reflect.TypeOf(r.A)); mix(uint64(n.Interface().("+t.name+")))")},
			{line("v.FieldByName(\"g\")." + set + "(1))")}, // panics
		}[g.n(15)]...))
	}
	return append(list, line("mix(uint64(r.A)); mix(uint64(len(r.D)))"), g.mixed(u, "r.B"))
}

// narrowLoop computes with narrow variables in a loop, through conversions that change nothing or
// much.
func (g *gen) narrowLoop() []*node {
	var vars []*variable
	var list, body []*node
	mark := len(g.scope)
	defer func() { g.scope = g.scope[:mark] }()
	for range g.between(2, 5) {
		t := ints[g.n(len(ints))]
		v := &variable{name: g.fresh("n"), typ: t}
		list = append(list, line(v.name+" := ", g.ownExpr(t, 1), "; _ = "+v.name))
		vars = append(vars, v)
	}
	for _, v := range vars {
		g.declare(v)
	}
	rounds := g.between(3, 20)
	ti := ints[g.n(len(ints))]
	i := g.declare(&variable{name: g.fresh("i"), typ: ti, ro: true, bound: rounds})
	g.mult *= rounds
	for range g.between(2, 6) {
		v := vars[g.n(len(vars))]
		g.fuel = 20
		e := g.related(v.typ, 2)
		if g.chance(30) {
			e = g.conv(v.typ, g.related(vars[g.n(len(vars))].typ, 1))
		}
		s := line(v.name, g.pick(" = ", " += ", " ^= ", " -= ", " = "), e)
		if g.chance(30) {
			g.fuel = 20
			s = block(text{"if ", g.relatedBool(1)}, []*node{s})
		}
		body = append(body, s)
	}
	g.mult /= rounds
	for _, v := range vars {
		body = append(body, line("mix(uint64("+v.name+"))"))
	}
	body = append(body, line("_ = ", i.name))
	return append(list, block(text{fmt.Sprintf("for %s := %s(0); %[1]s < %[3]d; %[1]s++", i.name, ti.name, rounds)}, body))
}
