package lower

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// intOps and floatOps are the operations of Go's arithmetic operators.
var intOps = map[token.Token]ir.Op{
	token.ADD: ir.OpAdd, token.SUB: ir.OpSub, token.MUL: ir.OpMul,
	token.AND: ir.OpAnd, token.OR: ir.OpOr, token.XOR: ir.OpXor, token.AND_NOT: ir.OpAndNot,
}

var floatOps = map[token.Token]ir.Op{
	token.ADD: ir.OpFAdd, token.SUB: ir.OpFSub, token.MUL: ir.OpFMul, token.QUO: ir.OpFDiv,
}

func (c *fn) binop(in *ssa.BinOp) val {
	switch in.Op {
	case token.EQL:
		return val{c.equalOperands(in)}
	case token.NEQ:
		return val{c.not(c.equalOperands(in))}
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		return val{c.ordered(in.Op, in.X.Type(), c.value(in.X), c.value(in.Y))}
	case token.SHL, token.SHR:
		return val{c.shift(in)}
	}
	t := in.Type().Underlying().(*types.Basic)
	x, y := c.value(in.X), c.value(in.Y)
	switch info := t.Info(); {
	case info&types.IsString != 0:
		return c.rt("concatstring2", x[0], x[1], y[0], y[1])
	case info&types.IsComplex != 0:
		return c.complexOp(in.Op, x, y)
	case info&types.IsFloat != 0:
		return val{c.op(floatOps[in.Op], x[0].Type, x[0], y[0])}
	case in.Op == token.QUO || in.Op == token.REM:
		return val{c.divide(in.Op, t, x[0], y[0])}
	case info&types.IsBoolean != 0:
		op := map[token.Token]ir.Op{token.AND: ir.OpAnd, token.OR: ir.OpOr, token.LAND: ir.OpAnd, token.LOR: ir.OpOr,
			token.XOR: ir.OpXor}[in.Op]
		return val{c.op(op, ir.I8, x[0], y[0])}
	}
	op, ok := intOps[in.Op]
	if !ok {
		panic("lower: binary " + in.Op.String())
	}
	if op == ir.OpXor && y[0].IsConst(0) && !c.l.isStd(c.src) {
		return x // only std hides addresses in this way
	}
	return val{c.op(op, x[0].Type, x[0], y[0])}
}

func (c *fn) divide(tok token.Token, t types.Type, x, y *ir.Value) *ir.Value {
	if y.Op != ir.OpConst || y.Aux == 0 {
		c.check(c.op(ir.OpNe, ir.I8, y, c.zero(y.Type)), ir.TrapDivide)
	}
	op := ir.OpDivS
	switch {
	case tok == token.QUO && isUnsigned(t):
		op = ir.OpDivU
	case tok == token.REM && isUnsigned(t):
		op = ir.OpRemU
	case tok == token.REM:
		op = ir.OpRemS
	}
	return c.op(op, x.Type, x, y)
}

func (c *fn) shift(in *ssa.BinOp) *ir.Value {
	x, n := c.one(in.X), c.one(in.Y)
	n = c.extend(n, in.Y.Type(), ir.I64)
	// A constant in SSA may have been a variable in the source: s := -1; x << s.
	if isSignedInt(in.Y.Type()) && (n.Op != ir.OpConst || n.Aux < 0) {
		c.check(c.op(ir.OpLeS, ir.I8, c.i64(0), n), ir.TrapShift)
	}
	op := ir.OpShl
	if in.Op == token.SHR {
		op = ir.OpShrS
		if isUnsigned(in.X.Type()) {
			op = ir.OpShrU
		}
	}
	return c.op(op, x.Type, x, n)
}

func (c *fn) complexOp(tok token.Token, x, y val) val {
	ft := x[0].Type
	op := func(op ir.Op, a, b *ir.Value) *ir.Value { return c.op(op, ft, a, b) }
	switch tok {
	case token.ADD, token.SUB:
		o := floatOps[tok]
		return val{op(o, x[0], y[0]), op(o, x[1], y[1])}
	case token.MUL:
		// gc multiplies complex64 in float64.
		narrow := ft == ir.F32
		if narrow {
			wide := func(v val) val { return val{c.floatTo(ir.F64, v[0]), c.floatTo(ir.F64, v[1])} }
			x, y, ft = wide(x), wide(y), ir.F64
		}
		re := op(ir.OpFSub, op(ir.OpFMul, x[0], y[0]), op(ir.OpFMul, x[1], y[1]))
		im := op(ir.OpFAdd, op(ir.OpFMul, x[0], y[1]), op(ir.OpFMul, x[1], y[0]))
		if narrow {
			return val{c.floatTo(ir.F32, re), c.floatTo(ir.F32, im)}
		}
		return val{re, im}
	case token.QUO:
		wide := func(v *ir.Value) *ir.Value { return c.floatTo(ir.F64, v) }
		r := c.rt("complex128div", wide(x[0]), wide(x[1]), wide(y[0]), wide(y[1]))
		return val{c.floatTo(ft, r[0]), c.floatTo(ft, r[1])}
	}
	panic("lower: complex " + tok.String())
}

// ordered lowers <, <=, > and >=.
func (c *fn) ordered(tok token.Token, t types.Type, x, y val) *ir.Value {
	if tok == token.GTR || tok == token.GEQ {
		x, y = y, x
		tok = map[token.Token]token.Token{token.GTR: token.LSS, token.GEQ: token.LEQ}[tok]
	}
	u := t.Underlying().(*types.Basic)
	less := tok == token.LSS
	pick := func(lt, le ir.Op) ir.Op {
		if less {
			return lt
		}
		return le
	}
	switch info := u.Info(); {
	case info&types.IsString != 0:
		r := c.op(ir.OpMemCmp, ir.I64, x[0], x[1], y[0], y[1])
		return c.op(pick(ir.OpLtS, ir.OpLeS), ir.I8, r, c.i64(0))
	case info&types.IsFloat != 0:
		return c.op(pick(ir.OpFLt, ir.OpFLe), ir.I8, x[0], y[0])
	case info&types.IsUnsigned != 0:
		return c.op(pick(ir.OpLtU, ir.OpLeU), ir.I8, x[0], y[0])
	}
	return c.op(pick(ir.OpLtS, ir.OpLeS), ir.I8, x[0], y[0])
}

func (c *fn) equalOperands(in *ssa.BinOp) *ir.Value {
	tx, ty := in.X.Type(), in.Y.Type()
	x, y := c.value(in.X), c.value(in.Y)
	// A comparison of an interface with a concrete value converts the latter.
	if ix, iy := types.IsInterface(tx), types.IsInterface(ty); ix != iy {
		if iy {
			return c.equal(ty, c.makeInterface(tx, ty, in.X), y)
		}
		return c.equal(tx, x, c.makeInterface(ty, tx, in.Y))
	}
	switch tx.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Signature:
		// Only with nil.
		if isNilConst(in.X) {
			x = y
		}
		return c.op(ir.OpEq, ir.I8, x[0], c.zero(ir.Ptr))
	case *types.Interface:
		if isNilConst(in.X) {
			return c.op(ir.OpEq, ir.I8, y[0], c.zero(ir.Ptr))
		}
		if isNilConst(in.Y) {
			return c.op(ir.OpEq, ir.I8, x[0], c.zero(ir.Ptr))
		}
		if nx, ny := tx.Underlying().(*types.Interface).NumMethods() == 0,
			ty.Underlying().(*types.Interface).NumMethods() == 0; nx != ny {
			if nx {
				return c.equal(tx, x, c.changeInterface(ty, tx, y))
			}
			return c.equal(ty, c.changeInterface(tx, ty, x), y)
		}
		if !types.Identical(tx.Underlying(), ty.Underlying()) {
			any := types.NewInterfaceType(nil, nil)
			return c.equal(any, c.changeInterface(tx, any, x), c.changeInterface(ty, any, y))
		}
	}
	return c.equal(tx, x, y)
}

// equal compares two values of one type.
func (b *builder) equal(t types.Type, x, y val) *ir.Value {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			if y[1].IsConst(0) || x[1].IsConst(0) {
				return b.op(ir.OpEq, ir.I8, x[1], y[1])
			}
			return b.cond(b.op(ir.OpEq, ir.I8, x[1], y[1]), 0, func() val {
				return val{b.op(ir.OpMemEq, ir.I8, x[0], y[0], x[1])}
			}, func() val { return val{b.bool(false)} })[0]
		case u.Info()&types.IsComplex != 0:
			return b.op(ir.OpAnd, ir.I8, b.op(ir.OpFEq, ir.I8, x[0], y[0]), b.op(ir.OpFEq, ir.I8, x[1], y[1]))
		case u.Info()&types.IsFloat != 0:
			return b.op(ir.OpFEq, ir.I8, x[0], y[0])
		}
		return b.op(ir.OpEq, ir.I8, x[0], y[0])
	case *types.Interface:
		return b.equalIface(u, x, y)
	case *types.Struct, *types.Array:
		if f := b.l.flat(t); f.mem {
			return b.call(b.l.equalFunc(t), x[0], y[0])[0]
		}
		return b.equalParts(t, x, y)
	}
	return b.op(ir.OpEq, ir.I8, x[0], y[0])
}

// equalIface compares the type words first; the data only of equal types. A
// type may have several itabs (for interfaces of one method set), so unequal
// itabs decide nothing.
func (b *builder) equalIface(u *types.Interface, x, y val) *ir.Value {
	isFalse := func() val { return val{b.bool(false)} }
	sameTab := b.op(ir.OpEq, ir.I8, x[0], y[0])
	if u.NumMethods() == 0 {
		return b.cond(sameTab, 0, func() val {
			return b.cond(b.op(ir.OpEq, ir.I8, x[0], b.zero(ir.Ptr)), -1, func() val { return val{b.bool(true)} },
				func() val { return b.rt("efaceeq", x[0], x[1], y[1]) })
		}, isFalse)[0]
	}
	isNil := func(tab *ir.Value) *ir.Value { return b.op(ir.OpEq, ir.I8, tab, b.zero(ir.Ptr)) }
	return b.cond(b.op(ir.OpOr, ir.I8, isNil(x[0]), isNil(y[0])), -1, func() val { return val{sameTab} }, func() val {
		typ := b.load(ir.Ptr, x[0], 8)
		return b.cond(b.op(ir.OpEq, ir.I8, typ, b.load(ir.Ptr, y[0], 8)), 0,
			func() val { return b.rt("efaceeq", typ, x[1], y[1]) }, isFalse)
	})[0]
}

// equalParts compares exploded structs and arrays, stopping at the first
// difference as gc does (a later part may panic).
func (b *builder) equalParts(t types.Type, x, y val) *ir.Value {
	var parts []func() *ir.Value
	at := 0
	add := func(t types.Type, skip bool) {
		n := len(b.l.flat(t).fields)
		xs, ys := x[at:at+n], y[at:at+n]
		at += n
		if !skip && n > 0 {
			parts = append(parts, func() *ir.Value { return b.equal(t, xs, ys) })
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			add(u.Field(i).Type(), u.Field(i).Name() == "_")
		}
	case *types.Array:
		if u.Len() == 1 {
			add(u.Elem(), false)
		}
	}
	return b.all(parts)
}

// all evaluates conditions until one is false.
func (b *builder) all(parts []func() *ir.Value) *ir.Value {
	if len(parts) == 0 {
		return b.bool(true)
	}
	c := parts[0]()
	if len(parts) == 1 {
		return c
	}
	return b.cond(c, 0, func() val { return val{b.all(parts[1:])} }, func() val { return val{b.bool(false)} })[0]
}
