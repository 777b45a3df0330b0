package randgo

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// mk makes an expression that is not constant.
func mk(t *typ, parts ...any) *expr { return &expr{typ: t, parts: parts} }

// mkConst makes a constant expression.
func mkConst(t *typ, s string) *expr { return &expr{typ: t, parts: text{s}, konst: true} }

// expr returns an expression of type t of about the given depth. It calls only pure functions, and
// only the operation for which g.pan is spent may panic, so that no order of evaluation shows.
func (g *gen) expr(t *typ, d int) *expr {
	if g.fuel--; g.fuel < 0 && (t.kind <= kString || t.kind == kParam) {
		return g.simple(t)
	}
	if d <= 0 || g.chance(20) {
		if g.chance(72) {
			if e := g.path(t); e != nil {
				return e
			}
		}
		if d <= 0 {
			return g.leaf(t)
		}
	}
	if !t.is(anyType) && t.kind != kFunc && g.chance(12) {
		if e := g.pureCall(t, d-1); e != nil {
			return e
		}
	}
	if g.pan > 0 && g.chance(15) {
		if e := g.panicking(t, d-1); e != nil {
			return e
		}
	}
	switch {
	case t.isInt():
		return g.intExpr(t, d-1)
	case t.isFloat():
		return g.floatExpr(t, d-1)
	case t.isComplex():
		return g.complexExpr(t, d-1)
	case t.kind == kBool:
		e := g.boolExpr(t, d-1)
		if t != boolType {
			e = mk(t, t.name+"(", e, ")") // a comparison has no type of its own
		}
		return e
	case t.kind == kString:
		return g.stringExpr(t, d-1)
	}
	return g.composite(t, d-1)
}

// value returns an expression for a variable: it does not grow without bound when the variable is
// assigned repeatedly.
func (g *gen) value(t *typ, d int) *expr {
	g.fuel = max(g.fuel, 4)
	e := g.expr(t, d)
	switch {
	case t.kind == kString && !e.konst && !e.isPath():
		return mk(t, "cut(", e, ")")
	case t.kind == kSlice && len(e.parts) > 1:
		return mk(t, "cutSlice(", e, ")")
	}
	return e
}

// isPath reports whether the expression is a variable or a part of one.
func (e *expr) isPath() bool {
	s, ok := e.parts[0].(string)
	return ok && len(e.parts) == 1 && !strings.ContainsAny(s, "( ")
}

// simple returns a variable, or a literal that is not constant for the compiler.
func (g *gen) simple(t *typ) *expr {
	if v := g.pickVar(func(v *variable) bool { return v.typ.is(t) }); v != nil {
		return mk(t, v.name)
	}
	if t.isInt() {
		if v := g.pickVar(func(v *variable) bool { return v.typ.isInt() }); v != nil {
			return mk(t, t.name+"("+v.name+")")
		}
	}
	return mk(t, "opaque(", g.literal(t), ")")
}

// operand returns an expression that is not constant.
func (g *gen) operand(t *typ, d int) *expr {
	for range 3 {
		if e := g.expr(t, d); !e.konst {
			return e
		}
	}
	if e := g.path(t); e != nil && !e.konst {
		return e
	}
	return mk(t, "opaque(", g.literal(t), ")")
}

// leaf returns a small expression that needs no variable.
func (g *gen) leaf(t *typ) *expr {
	switch {
	case t.isInt() && g.chance(30):
		from := g.randInt()
		if e := g.path(from); e != nil && !e.konst {
			return mk(t, t.name+"(", e, ")")
		}
	case t.kind > kString && t.kind != kParam:
		return g.composite(t, 0)
	}
	return g.literal(t)
}

var stringLiterals = []string{`""`, `"a"`, `"abc"`, `"hello, world"`, `"h\u00e9llo"`, `"\u65e5\u672c\u8a9e"`,
	`"\xff\xfea\x80"`, `"a\x00b"`,
	`"\U0001F600x"`, `"0123456789abcdef"`, `"zz"`, `"ab"`, `"\xed\xa0\x80"`}

var floatLiterals = []string{"0", "1", "-1", "0.5", "2", "1.5", "-2.25", "0.1", "3.141592653589793", "1e10", "-1e-10",
	"16777217", "1e30", "-123456.75", "255", "65536.5"}

// literal returns a constant of a type without parts.
func (g *gen) literal(t *typ) *expr {
	switch {
	case t.kind == kParam:
		return mkConst(t, fmt.Sprintf("%s(%d)", t.name, g.n(100)))
	case t.isInt():
		return mkConst(t, t.name+"("+g.intLiteral(t)+")")
	case t.isFloat():
		switch g.n(20) {
		case 0:
			return mk(t, t.name+"(inf)")
		case 1:
			return mk(t, t.name+"(nan)")
		case 2:
			return mk(t, t.name+"(negZero)")
		case 3:
			return mk(t, t.name+"(tiny)")
		}
		return mkConst(t, t.name+"("+floatLiterals[g.n(len(floatLiterals))]+")")
	case t.isComplex():
		return mkConst(t, fmt.Sprintf("%s(complex(%s, %s))", t.name, floatLiterals[g.n(len(floatLiterals))],
			floatLiterals[g.n(len(floatLiterals))]))
	case t.kind == kBool:
		return mkConst(t, t.name+[]string{"(false)", "(true)"}[g.n(2)])
	}
	s := stringLiterals[g.n(len(stringLiterals))]
	if t != strType {
		s = t.name + "(" + s + ")"
	}
	return mkConst(t, s)
}

// intLiteral returns the text of an integer that the type holds, often at an edge.
func (g *gen) intLiteral(t *typ) string {
	bits := t.bits()
	if !t.isSigned() {
		top := uint64(math.MaxUint64) >> (64 - bits)
		var x uint64
		switch g.n(8) {
		case 0:
			x = top - uint64(g.n(3))
		case 1:
			x = 1<<g.n(bits) - uint64(g.n(2))
		case 2:
			x = 1<<(bits-1) + uint64(g.n(3)) - 1
		case 3:
			x = g.r.Uint64()
		case 4:
			x = uint64(g.n(2))
		default:
			x = uint64(g.n(20))
		}
		return strconv.FormatUint(x&top, 10)
	}
	low, top := int64(math.MinInt64)>>(64-bits), int64(math.MaxInt64)>>(64-bits)
	var x int64
	switch g.n(9) {
	case 0:
		x = low + int64(g.n(3))
	case 1:
		x = top - int64(g.n(3))
	case 2:
		x = 1<<g.n(bits-1) - int64(g.n(2))
	case 3:
		x = -(1 << g.n(bits-1)) + int64(g.n(2))
	case 4:
		x = int64(g.r.Uint64()) >> (64 - bits)
	case 5:
		x = int64(g.n(3)) - 1
	default:
		x = int64(g.n(24)) - 4
	}
	return strconv.FormatInt(min(max(x, low), top), 10)
}

var (
	arith   = []string{"+", "-", "*", "&", "|", "^", "&^", "+", "-"}
	compare = []string{"==", "!=", "<", "<=", ">", ">="}
	shifts  = []string{"<<", ">>"}
)

// binary returns x op y with at most one constant operand.
func (g *gen) binary(t, result *typ, op string, d int) *expr {
	x, y := g.operand(t, d), g.expr(t, d)
	if g.chance(25) && op != "<<" && op != ">>" {
		x, y = y, x
	}
	return mk(result, "(", x, " "+op+" ", y, ")")
}

func (g *gen) intExpr(t *typ, d int) *expr {
	if g.chance(15) {
		return g.related(t, d)
	}
	switch x := g.n(100); {
	case x < 34:
		return g.binary(t, t, arith[g.n(len(arith))], d)
	case x < 44:
		return mk(t, "(", g.operand(t, d), " "+shifts[g.n(2)]+" ", g.count(d), ")")
	case x < 51:
		return mk(t, "(", g.operand(t, d), []string{" / ", " % "}[g.n(2)], g.divisor(t, d), ")")
	case x < 55:
		return mk(t, "("+[]string{"-", "^", "+"}[g.n(3)], g.operand(t, d), ")")
	case x < 75:
		from := g.randInt()
		if t.kind == kParam || g.tparam == nil {
			return mk(t, t.name+"(", g.operand(from, d), ")")
		}
		return mk(t, t.name+"(", g.operand(g.tparam, d), ")")
	case x < 79:
		return g.minMax(t, d)
	case x < 83 && t.kind != kParam:
		return mk(t, t.name+"(toInt(float64(", g.operand(basic[kFloat32+kind(g.n(2))], d), ")))")
	case x < 86:
		if e := g.length(); e != nil {
			return mk(t, t.name+"(", e, ")")
		}
	case x < 92:
		f := bitFuncs[g.n(len(bitFuncs))]
		e := mk(t, t.name+"(bits."+f.name+"(")
		for i, p := range f.params {
			if i > 0 {
				e.parts = append(e.parts, ", ")
			}
			e.parts = append(e.parts, g.operand(p, d))
		}
		e.parts = append(e.parts, "))")
		return e
	case x < 94:
		return mk(t, t.name+"(floatBits(", g.operand(f64Type, d), "))")
	case x < 97:
		if m := g.pickVar(func(v *variable) bool { return v.typ.kind == kMap && v.typ.elem.is(t) }); m != nil {
			return mk(t, m.name+"[", g.expr(m.typ.key, 1), "]")
		}
	default:
		return mk(t, t.name+"(bit(", g.expr(boolType, d), "))")
	}
	return g.binary(t, t, arith[g.n(len(arith))], d)
}

var bitFuncs = []struct {
	name   string
	params []*typ
}{
	{"LeadingZeros64", basic[kUint64 : kUint64+1]}, {"LeadingZeros8", basic[kUint8 : kUint8+1]},
	{"TrailingZeros32", basic[kUint32 : kUint32+1]},
	{"TrailingZeros16", basic[kUint16 : kUint16+1]}, {"OnesCount64", basic[kUint64 : kUint64+1]},
	{"OnesCount16", basic[kUint16 : kUint16+1]},
	{"Len", basic[kUint : kUint+1]}, {"Len8", basic[kUint8 : kUint8+1]}, {"Reverse32", basic[kUint32 : kUint32+1]},
	{"ReverseBytes64", basic[kUint64 : kUint64+1]},
	{"ReverseBytes16", basic[kUint16 : kUint16+1]}, {"RotateLeft8", []*typ{byteType, intType}},
	{"RotateLeft32", []*typ{basic[kUint32], intType}},
	{"RotateLeft64", []*typ{basic[kUint64], intType}}, {"Reverse8", basic[kUint8 : kUint8+1]},
	{"TrailingZeros", basic[kUint : kUint+1]},
}

// count returns a shift count that does not panic.
func (g *gen) count(d int) *expr {
	t := g.randInt()
	switch {
	case g.chance(30):
		return mkConst(intType, strconv.Itoa([]int{0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100}[g.n(15)]))
	case !t.isSigned():
		return g.operand(t, d)
	}
	return mk(t, "(", g.operand(t, d), fmt.Sprintf(" & %d)", []int{7, 15, 31, 63, 127}[g.n(5)]))
}

// divisor returns an expression that is not zero.
func (g *gen) divisor(t *typ, d int) *expr {
	if g.chance(50) {
		for range 10 {
			if e := g.literal(t); e.konst && e.parts[0] != t.name+"(0)" {
				return e
			}
		}
	}
	return mk(t, "(", g.operand(t, d), " | 1)")
}

func (g *gen) minMax(t *typ, d int) *expr {
	e := mk(t, []string{"min(", "max("}[g.n(2)], g.operand(t, d), ", ", g.expr(t, d))
	if g.chance(30) {
		e.parts = append(e.parts, ", ", g.expr(t, d))
	}
	e.parts = append(e.parts, ")")
	return e
}

// length returns len of something.
func (g *gen) length() *expr {
	v := g.pickVar(func(v *variable) bool { return v.typ.kind == kSlice || v.typ.kind == kMap || v.typ.kind == kString })
	if v == nil {
		return nil
	}
	if v.typ.kind == kSlice && v.fixed > 0 && g.chance(20) {
		return mk(intType, "cap("+v.name+")")
	}
	return mk(intType, "len("+v.name+")")
}

var unaryFloat = []string{"Sqrt", "Floor", "Ceil", "Trunc", "Abs", "RoundToEven", "Round"}

func (g *gen) floatExpr(t *typ, d int) *expr {
	switch x := g.n(100); {
	case x < 50:
		return g.binary(t, t, []string{"+", "-", "*", "/"}[g.n(4)], d)
	case x < 57:
		return mk(t, "(-", g.operand(t, d), ")")
	case x < 72:
		return mk(t, t.name+"(", g.operand(g.randInt(), d), ")")
	case x < 78:
		return mk(t, t.name+"(", g.operand(basic[kFloat32+kind(g.n(2))], d), ")")
	case x < 86:
		return mk(t, t.name+"(math."+unaryFloat[g.n(len(unaryFloat))]+"(float64(", g.operand(t, d), ")))")
	case x < 92:
		return g.minMax(t, d)
	case x < 94:
		return mk(t, t.name+"(math.FMA(", g.operand(f64Type, d), ", ", g.operand(f64Type, d), ", ", g.operand(f64Type, d),
			"))")
	case x < 97:
		return mk(t, t.name+"(", []string{"real(", "imag("}[g.n(2)], g.operand(basic[kComplex64+kind(g.n(2))], d), "))")
	}
	return mk(t, t.name+"(math.Float32frombits(", g.operand(basic[kUint32], d), "))")
}

func (g *gen) complexExpr(t *typ, d int) *expr {
	if g.chance(60) {
		if op := []string{"+", "-", "*", "/"}[g.n(4)]; op != "/" {
			return g.binary(t, t, op, d)
		}
		// A quotient of infinities takes the signs of zeros from those of NaNs, which depend on the
		// processor.
		return mk(t, "("+t.name+"(plain(complex128(", g.operand(t, d), "))) / "+t.name+"(plain(complex128(", g.expr(t, d),
			"))))")
	}
	part := basic[kFloat32+t.kind-kComplex64]
	return mk(t, t.name+"(complex(", g.operand(part, d), ", ", g.operand(part, d), "))")
}

func (g *gen) boolExpr(t *typ, d int) *expr {
	if g.chance(10) {
		return g.relatedBool(d)
	}
	switch x := g.n(100); {
	case x < 8:
		// One variable on both sides, with constants that may wrap around.
		if v := g.pickVar(func(v *variable) bool { return v.typ.isInt() && v.typ.kind != kParam }); v != nil {
			side := func() text {
				if g.chance(30) {
					return text{v.name}
				}
				return text{"(" + v.name, []string{" + ", " - ", " * ", " & ", " | "}[g.n(5)], g.literal(v.typ), ")"}
			}
			return mk(t, "(", side(), " "+compare[g.n(6)]+" ", side(), ")")
		}
		fallthrough
	case x < 45:
		return g.binary(g.intOrParam(), t, compare[g.n(6)], d)
	case x < 53:
		return g.binary(basic[kFloat32+kind(g.n(2))], t, compare[g.n(6)], d)
	case x < 62:
		return g.binary(strType, t, compare[g.n(6)], d)
	case x < 78:
		return mk(t, "(", g.operand(t, d), []string{" && ", " || "}[g.n(2)], g.operand(t, d), ")")
	case x < 84:
		return mk(t, "!", g.operand(t, d))
	case x < 88:
		return g.binary(t, t, compare[g.n(2)], d)
	case x < 91:
		return g.binary(basic[kComplex64+kind(g.n(2))], t, compare[g.n(2)], d)
	}
	if v := g.pickVar(func(v *variable) bool { return v.typ.kind > kString && v.typ.kind != kParam }); v != nil {
		switch {
		case v.typ.kind == kAny:
			return mk(t, "("+v.name+" == any(", g.expr(g.randBasic(), d), "))")
		case v.typ.kind == kIface || !v.typ.comparable():
			if v.typ.kind >= kSlice && v.typ.kind != kStruct {
				return mk(t, "("+v.name+" == nil)")
			}
		default:
			if w := g.path(v.typ); w != nil {
				return mk(t, "("+v.name+" "+compare[g.n(2)]+" ", w, ")")
			}
		}
	}
	return g.binary(intType, t, compare[g.n(6)], d)
}

func (g *gen) intOrParam() *typ {
	if g.tparam != nil && g.chance(60) {
		return g.tparam
	}
	return g.randInt()
}

func (g *gen) stringExpr(t *typ, d int) *expr {
	conv := func(e *expr) *expr {
		if t == strType {
			return e
		}
		return mk(t, t.name+"(", e, ")")
	}
	switch x := g.n(100); {
	case x < 35:
		return g.binary(t, t, "+", d)
	case x < 55:
		if v := g.pickVar(func(v *variable) bool { return v.typ.is(t) }); v != nil {
			return mk(t, v.name, g.safeBounds(v.name, d))
		}
	case x < 65:
		return mk(t, t.name+"(rune(", g.operand(g.randInt(), d), "))")
	case x < 72:
		if v := g.pickVar(func(v *variable) bool { return v.typ.name == "[]uint8" || v.typ.name == "[]int32" }); v != nil {
			return mk(t, t.name+"("+v.name+")")
		}
	case x < 80:
		return conv(mk(strType, "itoa(int64(", g.operand(g.randInt(), d), "))"))
	case x < 84:
		return conv(mk(strType, "string([]byte{byte(", g.operand(g.randInt(), d), "), 'x', byte(",
			g.operand(g.randInt(), d), ")})"))
	case x < 88:
		return g.minMax(t, d)
	}
	return g.literal(t)
}

// safeBounds returns slice bounds within the length of name.
func (g *gen) safeBounds(name string, d int) text {
	u := mk(intType, "int(uint8(", g.operand(g.randInt(), min(d, 1)), "))")
	switch g.n(6) {
	case 0:
		return text{"[len(" + name + ")/2:]"}
	case 1:
		return text{"[:len(" + name + ")/2]"}
	case 2:
		return text{"[min(len(" + name + "), ", u, "):]"}
	case 3:
		return text{"[:min(len(" + name + "), ", u, ")]"}
	case 4:
		return text{"[len(" + name + ")/3 : len(" + name + ")-len(" + name + ")/3]"}
	}
	return text{"[:]"}
}

// composite returns a value of a type with parts, or an address, an interface, a function.
func (g *gen) composite(t *typ, d int) *expr {
	switch t.kind {
	case kArray:
		if t.n > 8 || g.chance(10) {
			if g.chance(50) {
				return mk(t, t.name+fmt.Sprintf("{%d: ", g.n(t.n)), g.value(t.elem, d), "}")
			}
			return mk(t, t.name+"{}")
		}
		return g.list(t, t.n, d)
	case kSlice:
		if p := g.path(t); p != nil && g.chance(50) {
			s := p.String()
			if p.isPath() && g.chance(40) {
				return mk(t, s, g.safeBounds(s, d))
			}
			return mk(t, "append("+s+"[:len("+s+"):len("+s+")], ", g.value(t.elem, d), ")")
		}
		switch {
		case t.elem == byteType && g.chance(40):
			return mk(t, "[]byte(", g.expr(strType, d), ")")
		case t.elem == basic[kInt32] && g.chance(40):
			return mk(t, "[]rune(", g.expr(strType, d), ")")
		case g.chance(20):
			return mk(t, "make("+t.name+", ", g.operand(g.randInt(), d), "&7)")
		case g.chance(10):
			return mk(t, t.name+"(nil)")
		}
		return g.list(t, g.n(6), d)
	case kStruct:
		if g.has127() && g.chance(50) {
			return g.promotedLiteral(t, d)
		}
		e := mk(t, t.name+"{")
		for i, f := range t.fields {
			if g.chance(80) || d > 0 {
				e.parts = append(e.parts, f.name+": ", g.value(f.typ, min(d, 2)))
				if i < len(t.fields)-1 {
					e.parts = append(e.parts, ", ")
				}
			}
		}
		e.parts = append(e.parts, "}")
		return e
	case kPtr:
		if v := g.pickVar(func(v *variable) bool { return v.typ.is(t.elem) && !v.ro && !v.global && !g.pure }); v != nil &&
			g.chance(60) {
			return mk(t, "&"+v.name)
		}
		if t.elem.kind == kStruct {
			return mk(t, "&", g.composite(t.elem, d))
		}
		return mk(t, "addr(", g.value(t.elem, d), ")")
	case kMap:
		e := mk(t, t.name+"{")
		// Constant keys must differ, so the literal has at most one entry.
		if g.chance(80) {
			e.parts = append(e.parts, g.value(t.key, min(d, 1)), ": ", g.value(t.elem, d))
		}
		e.parts = append(e.parts, "}")
		return e
	case kAny:
		if len(g.structs) > 0 && g.chance(15) {
			if s := g.structs[g.n(len(g.structs))]; s.printable() && s.comparable() {
				return mk(t, "any(", g.composite(s, d), ")")
			}
		}
		return mk(t, "any(", g.value(g.randBasic(), d), ")")
	case kIface:
		u := t.impls[g.n(len(t.impls))]
		return mk(t, t.name+"(", g.value(u, d), ")")
	case kFunc:
		return g.leafFunc(t, d)
	}
	return g.literal(t)
}

func (g *gen) list(t *typ, n, d int) *expr {
	e := mk(t, t.name+"{")
	for i := range n {
		if i > 0 {
			e.parts = append(e.parts, ", ")
		}
		e.parts = append(e.parts, g.value(t.elem, min(d, 2)))
	}
	e.parts = append(e.parts, "}")
	return e
}

// leafFunc returns a function literal that calls nothing: it returns expressions of its parameters
// and captured variables.
func (g *gen) leafFunc(t *typ, d int) *expr {
	mark, pan := len(g.scope), g.pan
	g.pan = 0
	head := "func("
	for i, p := range t.params {
		if i > 0 {
			head += ", "
		}
		name := g.fresh("p")
		head += name + " " + p.name
		g.declare(&variable{name: name, typ: p})
	}
	e := mk(t, head+")"+resultList(t.results)+" { return ")
	for i, r := range t.results {
		if i > 0 {
			e.parts = append(e.parts, ", ")
		}
		e.parts = append(e.parts, g.value(r, min(max(d, 1), 2)))
	}
	e.parts = append(e.parts, " }")
	g.scope, g.pan = g.scope[:mark], pan
	return e
}

func resultList(results []*typ) string {
	return strings.TrimPrefix(signature(nil, results), "()")
}

// pureCall calls a pure function with the result t.
func (g *gen) pureCall(t *typ, d int) *expr {
	var list []*fn
	for _, f := range g.funcs {
		if f.pure && len(f.results) == 1 && f.results[0].is(t) && g.affords(f.cost) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return nil
	}
	f := list[g.n(len(list))]
	g.cost += g.mult * f.cost
	return mk(t, f.name+"(", g.args(f, d), ")")
}

// args returns arguments for a function.
func (g *gen) args(f *fn, d int) text {
	var t text
	for i, p := range f.params {
		if i > 0 {
			t = append(t, ", ")
		}
		switch {
		case f.depth > 0 && i == 0:
			t = append(t, strconv.Itoa(f.depth))
		case f.variadic && i == len(f.params)-1:
			if g.chance(40) {
				return append(t, g.value(p, d), "...")
			}
			for j := range g.n(4) {
				if j > 0 {
					t = append(t, ", ")
				}
				t = append(t, g.value(p.elem, d))
			}
		default:
			t = append(t, g.value(p, d))
		}
	}
	return t
}

// panicking returns an expression that may panic, in one place; it spends g.pan.
func (g *gen) panicking(t *typ, d int) *expr {
	pan := g.pan
	g.pan = 0
	var e *expr
	switch x := g.n(10); {
	case x < 5:
		// An element of a slice, an array or a string at any index.
		v := g.pickVar(func(v *variable) bool {
			switch v.typ.kind {
			case kSlice, kArray:
				return v.typ.elem.is(t)
			case kString:
				return t.is(byteType)
			}
			return false
		})
		if v != nil {
			e = mk(t, v.name+"[", g.anyIndex(d), "]")
		}
	case x < 7 && t.isInt():
		e = mk(t, "(", g.operand(t, d), []string{" / ", " % "}[g.n(2)], g.operand(t, d), ")")
	case x < 8 && t.isInt():
		for {
			if u := g.randInt(); u.isSigned() {
				e = mk(t, "(", g.operand(t, d), " "+shifts[g.n(2)]+" ", g.operand(u, d), ")")
				break
			}
		}
	case x < 9 && (t.kind == kSlice || t.kind == kString):
		if v := g.pickVar(func(v *variable) bool { return v.typ.is(t) }); v != nil {
			name := v.name
			if t.kind == kSlice && v.fixed == 0 {
				// Elements between length and capacity must not show.
				name = name + "[:len(" + name + "):len(" + name + ")]"
			}
			switch g.n(3) {
			case 0:
				e = mk(t, name+"[", g.anyIndex(d), ":]")
			case 1:
				e = mk(t, name+"[:", g.anyIndex(d), "]")
			default:
				e = mk(t, name+"[", g.anyIndex(d), ":", g.anyIndex(d), "]")
			}
		}
	case t.kind < kArray || t.kind == kStruct:
		if v := g.pickVar(func(v *variable) bool { return v.typ.kind == kAny }); v != nil {
			e = mk(t, v.name+".("+t.name+")")
		}
	}
	if e == nil {
		g.pan = pan
	}
	return e
}

// anyIndex returns an index that is often valid.
func (g *gen) anyIndex(d int) *expr {
	d = min(d, 1)
	switch g.n(6) {
	case 0:
		return g.operand(g.randInt(), d)
	case 1:
		t := g.randInt()
		return mk(t, "(", g.operand(t, d), " & 15)")
	case 2:
		return mk(intType, "(", g.operand(intType, d), " % 8)")
	case 3:
		if v := g.pickVar(func(v *variable) bool { return v.bound > 0 }); v != nil {
			return mk(v.typ, fmt.Sprintf("(%s %s %d)", v.name, []string{"+", "-"}[g.n(2)], g.n(4)))
		}
	}
	return mk(intType, "int(uint8(", g.operand(g.randInt(), d), ")>>4)")
}

// index returns a valid index into something of n elements.
func (g *gen) index(n int) *expr {
	switch x := g.n(10); {
	case x < 3:
		return mkConst(intType, strconv.Itoa(g.n(n)))
	case x < 6:
		if v := g.pickVar(func(v *variable) bool { return v.bound > 0 && v.bound <= n }); v != nil {
			return mk(v.typ, v.name)
		}
	}
	t := g.randInt()
	if n&(n-1) == 0 && n-1 <= math.MaxInt8 && g.chance(60) {
		return mk(t, "(", g.simple(t), fmt.Sprintf(" & %d)", n-1))
	}
	if t.isSigned() {
		return mk(intType, "int(uint32(", g.simple(t), fmt.Sprintf(")%%%d)", n))
	}
	return mk(t, "(", g.simple(t), fmt.Sprintf(" %% %d)", n))
}

// path returns a variable of type t, or a part of one; nil if none is in scope.
func (g *gen) path(t *typ) *expr {
	return g.pathOf(t, func(*variable) bool { return true })
}

// pathOf returns a path that starts at a variable for which ok holds.
func (g *gen) pathOf(t *typ, ok func(*variable) bool) *expr {
	type step struct {
		v     *variable
		steps []int // field numbers, or below 0: an element, a pointer's target
	}
	const element, target = -1, -2
	var found []step
	var walk func(v *variable, u *typ, steps []int)
	walk = func(v *variable, u *typ, steps []int) {
		if u.is(t) {
			found = append(found, step{v, append([]int(nil), steps...)})
			return
		}
		if len(steps) >= 3 {
			return
		}
		steps = steps[:len(steps):len(steps)]
		switch u.kind {
		case kStruct:
			for i, f := range u.fields {
				walk(v, f.typ, append(steps, i))
			}
		case kArray:
			walk(v, u.elem, append(steps, element))
		case kSlice:
			if len(steps) == 0 && v.fixed > 0 {
				walk(v, u.elem, append(steps, element))
			}
		case kPtr:
			if len(steps) == 0 {
				walk(v, u.elem, append(steps, target))
			}
		}
	}
	for _, v := range g.scope {
		if ok(v) {
			walk(v, v.typ, nil)
		}
	}
	if len(found) == 0 {
		return nil
	}
	// The newest variables are the most interesting.
	c := found[max(g.n(len(found)), g.n(len(found)))]
	e := mk(t, c.v.name)
	u := c.v.typ
	for i, s := range c.steps {
		switch {
		case s == target:
			u = u.elem
			if i == len(c.steps)-1 || u.kind != kStruct {
				e.parts = append(append(text{"(*"}, e.parts...), ")")
			}
		case s == element:
			n := u.n
			if u.kind == kSlice {
				n = c.v.fixed
			}
			u = u.elem
			e.parts = append(e.parts, "[", g.index(n), "]")
		default:
			e.parts = append(e.parts, "."+u.fields[s].name)
			u = u.fields[s].typ
		}
	}
	return e
}
