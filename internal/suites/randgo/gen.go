package randgo

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A variable is a name that an expression may use.
type variable struct {
	name   string
	typ    *typ
	ro     bool // must not be assigned, nor its address taken
	fixed  int  // of a slice: its length and capacity, if they never change
	bound  int  // of a loop variable: its value is in [0, bound)
	cost   int  // of a function value: the cost of a call
	global bool
}

// A fn is a function or method that may be called.
type fn struct {
	name     string
	params   []*typ
	results  []*typ
	pure     bool // writes nothing, prints nothing, cannot panic
	variadic bool
	cost     int
	depth    int  // of a recursive function: its first parameter, which counts down
	ptrRecv  bool // a method with a pointer receiver
	inferred bool // its type arguments are inferred from the arguments, so it may only be called
}

// A gen generates one program. Work is bounded by construction: a loop has a number of rounds,
// functions call only earlier ones, and the cost of a function is known when it is called.
type gen struct {
	r     *rand.Rand
	minor int    // of the release of Go
	pre   string // the prefix of every top-level name
	next  int    // of the next name
	logs  bool   // a function that logs is declared

	decls   []*node
	named   []*typ // with a basic underlying type
	structs []*typ
	ifaces  []*typ
	funcs   []*fn
	iters   []*fn // functions that may be ranged over

	scope  []*variable
	pure   bool // within a pure function
	tparam *typ // the function's type parameter
	pan    int  // operations that may still panic in this statement
	fuel   int  // expressions left in this statement
	mult   int  // rounds of the enclosing loops
	cost   int  // cost of the function so far, in statements
	limit  int  // limit of cost
	budget int  // statements left
	nest   int  // of blocks
	fc     *funcCtx
}

// A funcCtx is the function or function literal that is being generated.
type funcCtx struct {
	results []*typ
	guarded bool // panics are recovered here: many are allowed
	loops   []*loop
	lit     bool
}

type loop struct {
	label string
	used  bool
}

func (g *gen) n(n int) int          { return g.r.IntN(n) }
func (g *gen) chance(pc int) bool   { return g.r.IntN(100) < pc }
func (g *gen) between(a, b int) int { return a + g.r.IntN(b-a+1) }

func (g *gen) fresh(prefix string) string {
	g.next++
	return fmt.Sprintf("%s%d", prefix, g.next)
}

func (g *gen) declare(v *variable) *variable {
	g.scope = append(g.scope, v)
	return v
}

// pickVar returns a variable for which ok holds, or nil.
func (g *gen) pickVar(ok func(*variable) bool) *variable {
	var list []*variable
	for _, v := range g.scope {
		if ok(v) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[max(g.n(len(list)), g.n(len(list)))]
}

// affords reports whether a call of that cost is allowed here.
func (g *gen) affords(cost int) bool { return g.cost+g.mult*cost <= g.limit }

const (
	programCost  = 30_000
	functionCost = 1_200
	pureCost     = 60
	maxMult      = 600
)

// endsEvery: one of so many seeds gives a program that ends its process.
const endsEvery = 25

// Generate makes the program of a seed for a release of Go: 26 is go1.26.
func Generate(seed uint64, minor int) *Program {
	g := &gen{minor: minor, r: rand.New(rand.NewPCG(seed, 0x67797267)), pre: fmt.Sprintf("r%d_", seed), mult: 1}
	p := &Program{Name: g.pre + "main", Ends: seed%endsEvery == endsEvery-1}
	g.types()
	g.globals()
	for range g.between(1, 3) {
		g.function(true, nil)
	}
	if g.chance(50) {
		g.genericFunc()
	}
	for range g.between(1, 2) {
		g.function(false, nil)
	}
	if g.chance(40) {
		g.recursive()
	}
	for _, t := range append(append([]*typ(nil), g.structs...), g.named...) {
		if g.chance(30) {
			g.function(false, t)
		}
		if g.has127() && g.chance(30) {
			g.genericMethod(t)
		}
	}
	if g.chance(35) {
		g.iface()
	}
	if g.chance(30) {
		g.iterator()
	}
	if g.chance(50) {
		g.function(false, nil)
	}
	g.main(p)
	p.decls = g.decls
	return p
}

func (g *gen) types() {
	for range g.n(3) {
		t := *g.randBasic()
		t.name = g.fresh(g.pre + "N")
		g.decls = append(g.decls, line("type ", t.name, " ", kindNames[t.kind]))
		g.named = append(g.named, &t)
	}
	for range g.n(4) {
		t := &typ{kind: kStruct}
		d := &node{tail: "}"}
		var body []*node
		for i := range g.between(1, 5) {
			f := field{fmt.Sprintf("f%d", i), g.randValue(2)}
			if i == 0 && len(g.structs) > 0 && g.chance(25) {
				f.typ = g.structs[g.n(len(g.structs))]
				f.name = f.typ.name // embedded
				body = append(body, line(f.name))
			} else {
				if g.chance(8) {
					f.typ = sliceOf(g.randBasic())
				}
				body = append(body, line(f.name, " ", f.typ.name))
			}
			t.fields = append(t.fields, f)
		}
		t.name = g.fresh(g.pre + "S")
		d.parts = []part{{text{"type " + t.name + " struct {"}, body}}
		g.decls = append(g.decls, d)
		g.structs = append(g.structs, t)
	}
}

func (g *gen) globals() {
	for range g.n(5) {
		v := &variable{name: g.fresh(g.pre + "g"), typ: g.randType(), global: true}
		switch v.typ.kind {
		case kPtr, kIface:
			v.typ = intType
		case kSlice:
			v.fixed = g.between(1, 12)
			v.ro = true
			g.decls = append(g.decls, line("var ", v.name, " = ", g.list(v.typ, v.fixed, 1)))
		case kMap:
			v.ro = true
			g.decls = append(g.decls, line("var ", v.name, " = ", g.composite(v.typ, 1)))
		}
		if v.typ.kind != kSlice && v.typ.kind != kMap {
			if g.chance(50) {
				g.decls = append(g.decls, line("var ", v.name, " ", v.typ.name))
			} else {
				g.decls = append(g.decls, line("var ", v.name, " ", v.typ.name, " = ", g.value(v.typ, 1)))
			}
		}
		g.declare(v)
	}
}

// enter begins a function and returns a function that ends it.
func (g *gen) enter(fc *funcCtx, limit int) (leave func() (cost int)) {
	scope, pure, tparam, pan, mult, cost, lim, budget, nest, old := g.scope, g.pure, g.tparam, g.pan, g.mult, g.cost,
		g.limit, g.budget, g.nest, g.fc
	g.pan, g.mult, g.cost, g.limit, g.nest, g.fc = 0, 1, 1, limit, 0, fc
	return func() int {
		c := g.cost
		g.scope, g.pure, g.tparam, g.pan, g.mult, g.cost, g.limit, g.budget, g.nest, g.fc = scope, pure, tparam, pan, mult,
			cost, lim, budget, nest, old
		return c
	}
}

// Function literals see the enclosing variables. closed generates one whose cost is part of the
// enclosing function's.
func (g *gen) closed(fc *funcCtx, body func()) {
	old, nest := g.fc, g.nest
	mark := len(g.scope)
	fc.lit = true
	g.fc = fc
	body()
	g.fc, g.nest, g.scope = old, nest, g.scope[:mark]
}

// params declares parameters and returns their list.
func (g *gen) params(f *fn) string {
	var b strings.Builder
	for i, t := range f.params {
		if i > 0 {
			b.WriteString(", ")
		}
		v := g.declare(&variable{name: g.fresh("a"), typ: t})
		name := t.name
		if f.variadic && i == len(f.params)-1 {
			name = "..." + t.elem.name
		}
		if t.kind == kFunc {
			v.ro, v.cost = true, leafCost
		}
		b.WriteString(v.name + " " + name)
	}
	return b.String()
}

const leafCost = 8 // of a function value that calls nothing

// function generates a function, or a method of a named type.
func (g *gen) function(pure bool, recv *typ) {
	f := &fn{pure: pure}
	for range g.n(5) {
		t := g.randType()
		if pure {
			t = g.randValue(1)
		} else if g.chance(8) {
			t = funcOf([]*typ{g.randBasic()}, []*typ{g.randBasic()})
		}
		f.params = append(f.params, t)
	}
	if k := len(f.params); !pure && k > 0 && f.params[k-1].kind == kSlice && g.chance(50) {
		f.variadic = true
	}
	results := g.n(4)
	if pure {
		results = 1
	}
	for range results {
		f.results = append(f.results, g.resultType(pure))
	}
	limit := functionCost
	if pure {
		limit = pureCost
	}
	f.name = g.fresh(g.pre + "f")
	if recv != nil {
		f.name = g.fresh("M")
	}
	g.body(f, recv, limit)
	switch {
	case recv != nil:
		recv.methods = append(recv.methods, f)
	default:
		g.funcs = append(g.funcs, f)
	}
}

func (g *gen) resultType(pure bool) *typ {
	if pure {
		return g.randValue(1)
	}
	return g.randType()
}

// body generates the declaration of f.
func (g *gen) body(f *fn, recv *typ, limit int) {
	fc := &funcCtx{results: f.results}
	leave := g.enter(fc, limit)
	if g.pure = f.pure; g.pure {
		// The values that it reads do not change while a map is ranged over.
		g.scope = g.values()
	}
	g.budget = g.between(2, 5)
	if !f.pure {
		g.budget = g.between(2, 5)
	}
	head := "func "
	if recv != nil {
		f.ptrRecv = g.chance(50)
		r := g.declare(&variable{name: "self", typ: recv})
		if f.ptrRecv {
			r.typ, r.ro = ptrTo(recv), true
		}
		head += "(self " + r.typ.name + ") "
	}
	head += f.name + "(" + g.params(f) + ")"
	var body []*node
	var named []*variable
	if !f.pure && len(f.results) > 0 && g.chance(35) {
		// Named results, which deferred functions may change.
		names := ""
		for i, t := range f.results {
			v := &variable{name: g.fresh("res"), typ: t}
			named = append(named, v)
			if i > 0 {
				names += ", "
			}
			names += v.name + " " + t.name
			switch t.kind {
			case kPtr, kMap, kIface, kFunc:
				body = append(body, line(v.name, " = ", g.value(t, 1)))
			}
		}
		head += " (" + names + ")"
		for _, v := range named {
			g.declare(v)
		}
		if g.chance(70) {
			fc.guarded = g.chance(60)
			body = append(body, g.deferred(named, fc.guarded))
		}
	} else {
		head += resultList(f.results)
	}
	mark := len(g.scope)
	body = append(body, g.stmts(g.budget)...)
	body = append(body, g.useUp(mark)...)
	if len(f.results) > 0 {
		body = append(body, g.returnStmt(true))
	}
	f.cost = leave()
	g.decls = append(g.decls, block(text{head}, body))
}

// deferred returns a deferred function that changes named results. With recovers it recovers and
// reports the recovered value.
func (g *gen) deferred(named []*variable, recovers bool) *node {
	var body []*node
	g.closed(&funcCtx{}, func() {
		v := named[g.n(len(named))]
		if recovers {
			body = append(body, block(text{"if e := recover(); e != nil"}, []*node{line("mixS(panicText(e))"), g.assignTo(v)}))
		}
		if g.chance(60) {
			body = append(body, g.assignTo(v))
		}
	})
	n := block(text{"defer func()"}, body)
	n.tail = "}()"
	return n
}

func (g *gen) assignTo(v *variable) *node { return line(v.name, " = ", g.value(v.typ, 2)) }

// recursive generates a function that calls itself with a smaller first argument.
func (g *gen) recursive() {
	f := &fn{name: g.fresh(g.pre + "f"), params: []*typ{intType}}
	for range g.n(3) {
		f.params = append(f.params, g.randValue(1))
	}
	f.results = []*typ{g.randValue(1)}
	calls := 1
	f.depth = []int{5, 20, 60, 1500}[g.n(4)]
	if g.chance(40) {
		calls, f.depth = 2, g.between(3, 6)
	}
	fc := &funcCtx{results: f.results}
	leave := g.enter(fc, functionCost)
	g.budget = 6
	head := "func " + f.name + "(" + g.params(f) + ")" + resultList(f.results)
	depth := g.scope[len(g.scope)-len(f.params)]
	depth.ro = true
	body := []*node{block(text{"if " + depth.name + " <= 0"}, []*node{g.returnStmt(false)})}
	if f.depth < 100 {
		body = append(body, g.stmts(g.n(4))...)
	}
	for range calls {
		v := &variable{name: g.fresh("v"), typ: f.results[0]}
		t := text{v.name, " := ", f.name, "(", depth.name, "-1"}
		for _, p := range f.params[1:] {
			t = append(t, ", ", g.value(p, 2))
		}
		body = append(body, line(append(t, "); _ = ", v.name)...))
		g.declare(v)
	}
	body = append(body, g.returnStmt(true))
	once := leave()
	f.cost = once * f.depth
	if calls == 2 {
		f.cost = once << f.depth
	}
	g.decls = append(g.decls, block(text{head}, body))
	g.funcs = append(g.funcs, f)
}

// genericFunc generates a function with a type parameter and adds it with two type arguments.
func (g *gen) genericFunc() {
	tp := &typ{kind: kParam, name: "T"}
	f := &fn{name: g.fresh(g.pre + "f"), pure: true}
	leave := g.enter(&funcCtx{results: []*typ{tp}}, pureCost)
	g.pure, g.tparam, g.scope = true, tp, g.values()
	f.params = []*typ{tp, []*typ{tp, intType, g.randBasic(), arrayOf(4, tp)}[g.n(4)]}
	f.results = []*typ{tp}
	g.budget = g.between(2, 6)
	head := "func " + f.name + "[T integer](" + g.params(f) + ") T"
	body := append(g.stmts(g.budget), g.returnStmt(true))
	cost := leave()
	g.decls = append(g.decls, block(text{head}, body))
	for range 3 {
		t := g.randInt()
		inst := *f
		inst.name, inst.cost = f.name+"["+t.name+"]", cost
		inst.params = append([]*typ(nil), f.params...)
		for i, p := range f.params {
			switch {
			case p == tp:
				inst.params[i] = t
			case p.kind == kArray && p.elem == tp:
				inst.params[i] = arrayOf(p.n, t)
			}
		}
		inst.results = []*typ{t}
		g.funcs = append(g.funcs, &inst)
	}
}

// iface generates an interface type and methods that implement it.
func (g *gen) iface() {
	var recvs []*typ
	recvs = append(append(recvs, g.structs...), g.named...)
	if len(recvs) < 2 {
		return
	}
	t := &typ{kind: kIface, name: g.fresh(g.pre + "I")}
	m := &fn{name: g.fresh("M")}
	for range g.n(3) {
		m.params = append(m.params, g.randType())
	}
	for range g.between(1, 2) {
		m.results = append(m.results, g.randValue(1))
	}
	g.decls = append(g.decls, block(text{"type ", t.name, " interface"},
		[]*node{line(m.name, signature(m.params, m.results))}))
	start := g.n(len(recvs))
	for i := range min(len(recvs), 3) {
		u := recvs[(start+i)%len(recvs)]
		// No other struct may have embedded one that already has the method: names are resolved at
		// the shallowest depth, so the struct's own method wins.
		one := *m
		g.body(&one, u, functionCost/4)
		m.cost = max(m.cost, one.cost)
		if one.ptrRecv {
			t.impls = append(t.impls, ptrTo(u))
		} else {
			t.impls = append(t.impls, u)
		}
		if !one.ptrRecv && g.chance(30) {
			t.impls = append(t.impls, ptrTo(u))
		}
	}
	t.methods = []*fn{m}
	g.ifaces = append(g.ifaces, t)
}

// iterator generates a function that a range loop may use.
func (g *gen) iterator() {
	t, u := g.randBasic(), g.randBasic()
	f := &fn{name: g.fresh(g.pre + "seq"), params: []*typ{intType}, cost: 30}
	f.results = []*typ{t, u}
	n := g.between(2, 9)
	leave := g.enter(&funcCtx{}, 100)
	mark := len(g.scope)
	g.declare(&variable{name: "a", typ: intType, ro: true})
	i := g.declare(&variable{name: "i", typ: intType, ro: true, bound: n})
	yield := text{"if !yield(", g.value(t, 2), ", ", g.value(u, 2), ")"}
	body := []*node{line("_ = i"), block(yield, []*node{line("return")})}
	if g.chance(30) {
		body = append(body, line("mix(uint64(", i.name, "))"))
	}
	all := []*node{block(text{fmt.Sprintf("for i := range %d", n)}, body)}
	if g.chance(40) {
		all = append([]*node{line("defer mixS(\"seq\")")}, all...)
	}
	g.scope = g.scope[:mark]
	leave()
	in := block(text{fmt.Sprintf("return func(yield func(%s, %s) bool)", t.name, u.name)}, all)
	g.decls = append(g.decls, block(text{fmt.Sprintf("func %s(a int) func(func(%s, %s) bool)", f.name, t.name, u.name)},
		[]*node{in}))
	g.iters = append(g.iters, f)
}

// main generates the program's main function.
func (g *gen) main(p *Program) {
	fc := &funcCtx{}
	leave := g.enter(fc, programCost)
	g.budget = g.between(5, 10)
	body := g.stmts(g.budget)
	for _, f := range g.funcs {
		// Every generated function is called at least once.
		if !f.pure && g.chance(70) && g.affords(f.cost) {
			body = append(body, g.guarded([]*node{}, func() []*node { return g.callFn(f, f.name) }))
		}
	}
	for range g.between(1, 3) {
		body = append(body, g.guarded(nil, g.loopZoo))
	}
	if g.chance(50) {
		body = append(body, g.web()...)
	}
	body = append(body, g.someShapes()...)
	for _, v := range g.scope {
		if n := g.showVar(v); n != nil {
			body = append(body, n)
		}
	}
	if p.Ends {
		body = append(body, g.ending()...)
	}
	leave()
	g.decls = append(g.decls, block(text{"func ", p.Name, "()"}, body))
}
