package opt

import (
	"math"

	"github.com/gyrvm/gyr/internal/ir"
)

// simplify folds constants and applies the algebra of each operation: every
// rule looks at one operation and its operands. Operands come before their
// users in reverse postorder, so one round reaches most; a few more follow what
// phis and new operations open up.
func simplify(s *state) { (&simplifier{state: s}).run() }

// simplifyEarly is simplify before the escape analysis.
func simplifyEarly(s *state) { (&simplifier{state: s, early: true}).run() }

func (p *simplifier) run() {
	for round := 0; round < 4; round++ {
		p.again = false
		for _, b := range p.Dom().Order {
			p.block(b)
		}
		if !p.again {
			break
		}
		p.changed = true
	}
	p.sweep()
}

// maxFoldedOffset bounds the constant offsets that are folded into loads and
// stores: address arithmetic wraps at 32 bits, displacements do not.
const maxFoldedOffset = 1 << 20

type simplifier struct {
	*state
	inserter
	pos   ir.Pos
	again bool
	early bool
}

func (p *simplifier) block(b *ir.Block) {
	// The list is only rebuilt if a rule makes new operations.
	p.b = b
	p.out = p.out[:0]
	for i, v := range b.Values {
		p.step(1)
		if v.Op != ir.OpCopy {
			for k, a := range v.Args {
				if a.Op == ir.OpCopy {
					v.Args[k] = origin(a)
				}
			}
		}
		n := len(p.out)
		p.pos = v.Pos
		for steps := 0; steps < 8 && p.value(v); steps++ {
			p.again = true
		}
		if n == 0 && len(p.out) > 0 {
			// First new operation: what came before it goes in front.
			made := append([]*ir.Value(nil), p.out...)
			p.out = append(append(p.out[:0], b.Values[:i]...), made...)
		}
		if len(p.out) > 0 {
			p.out = append(p.out, v)
		}
	}
	if b.Ctrl != nil {
		n := len(p.out)
		p.pos = b.Pos
		b.Ctrl = origin(b.Ctrl)
		for p.control(b) {
			p.again = true
		}
		if n == 0 && len(p.out) > 0 {
			made := append([]*ir.Value(nil), p.out...)
			p.out = append(append(p.out[:0], b.Values...), made...)
		}
	}
	for i, r := range b.Rets {
		b.Rets[i] = origin(r)
	}
	if len(p.out) > 0 {
		p.finish()
	}
	phisFirst(b)
}

// phisFirst restores the order after phis became constants.
func phisFirst(b *ir.Block) {
	n := 0
	for i, v := range b.Values {
		if v.Op != ir.OpPhi {
			continue
		}
		if i > n {
			copy(b.Values[n+1:i+1], b.Values[n:i])
			b.Values[n] = v
		}
		n++
	}
}

// make adds an operation before the one that is being simplified.
func (p *simplifier) make(op ir.Op, t ir.Type, args ...*ir.Value) *ir.Value {
	v := p.f.NewValue(op, t, args...)
	v.Pos = p.pos
	return p.add(v)
}

func (p *simplifier) constant(t ir.Type, c int64) *ir.Value {
	v := p.newConst(t, c)
	v.Pos = p.pos
	return p.add(v)
}

// replace gives v another operation and operands.
func replace(v *ir.Value, op ir.Op, args ...*ir.Value) bool {
	v.Op = op
	v.Args = append([]*ir.Value(nil), args...)
	v.Aux, v.Aux2 = 0, 0
	return true
}

func copyOf(v, w *ir.Value) bool { becomes(v, w); return true }

func constOf(v *ir.Value, c int64) bool { becomesConst(v, c); return true }

// control simplifies the condition of a block's end.
func (p *simplifier) control(b *ir.Block) bool {
	if b.Kind != ir.BlockIf {
		return false
	}
	c := b.Ctrl
	if x := invertedBool(c); x != nil {
		b.Ctrl = x
		b.Succs[0], b.Succs[1] = b.Succs[1], b.Succs[0]
		b.Likely = -b.Likely
		return true
	}
	return false
}

// isBool reports whether v is known to be 0 or 1.
func isBool(v *ir.Value) bool { return boolDepth(v, 3) }

func boolDepth(v *ir.Value, depth int) bool {
	switch v.Op {
	case ir.OpEq, ir.OpNe, ir.OpLtS, ir.OpLeS, ir.OpLtU, ir.OpLeU, ir.OpFEq, ir.OpFNe, ir.OpFLt, ir.OpFLe, ir.OpMemEq:
		return true
	case ir.OpConst:
		return v.Type == ir.I8 && (v.Aux == 0 || v.Aux == 1)
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return depth > 0 && boolDepth(v.Args[0], depth-1) && boolDepth(v.Args[1], depth-1)
	case ir.OpSelect:
		return depth > 0 && boolDepth(v.Args[1], depth-1) && boolDepth(v.Args[2], depth-1)
	case ir.OpPhi:
		if depth == 0 {
			return false
		}
		for _, a := range v.Args {
			if a != v && !boolDepth(a, depth-1) {
				return false
			}
		}
		return true
	}
	return false
}

// invertedBool returns x when v is the inversion of a condition x: x ^ 1 (which
// only conditions undergo as operands of a branch), x == 0 and x != 1.
func invertedBool(v *ir.Value) *ir.Value {
	switch v.Op {
	case ir.OpXor:
		if v.Type == ir.I8 && v.Args[1].IsConst(1) && isBool(v.Args[0]) {
			return v.Args[0]
		}
	case ir.OpEq:
		if x := v.Args[0]; x.Type == ir.I8 && v.Args[1].IsConst(0) && isBool(x) {
			return x
		}
	case ir.OpNe:
		if x := v.Args[0]; x.Type == ir.I8 && v.Args[1].IsConst(1) && isBool(x) {
			return x
		}
	}
	return nil
}

// value applies the rules of v's operation and reports whether one applied.
func (p *simplifier) value(v *ir.Value) bool {
	info := &ir.Ops[v.Op]
	if len(v.Args) == 2 && info.Effects&ir.Commutes != 0 && v.Args[0].Op == ir.OpConst && v.Args[1].Op != ir.OpConst {
		v.Args[0], v.Args[1] = v.Args[1], v.Args[0]
	}
	if info.Effects == ir.Pure || info.Effects == ir.Commutes {
		if n := len(v.Args); n > 0 && n <= 2 && v.Args[0].Op == ir.OpConst && v.Args[n-1].Op == ir.OpConst {
			if c, ok := evalConst(v); ok {
				return constOf(v, c)
			}
		}
	}
	switch v.Op {
	case ir.OpPhi:
		return p.phi(v)
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDivS, ir.OpDivU, ir.OpRemS, ir.OpRemU, ir.OpNeg, ir.OpNot:
		return p.rewrite(v) != noRule
	case ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpShl, ir.OpShrS, ir.OpShrU, ir.OpRotl:
		return p.bitwise(v)
	case ir.OpEq, ir.OpNe, ir.OpLtS, ir.OpLeS, ir.OpLtU, ir.OpLeU:
		return p.compare(v)
	case ir.OpSelect:
		return p.selection(v)
	case ir.OpSExt, ir.OpZExt, ir.OpTrunc:
		return p.width(v)
	case ir.OpFNeg, ir.OpFMul, ir.OpFDiv, ir.OpFSub, ir.OpFAbs, ir.OpFCvt:
		return p.float(v)
	case ir.OpPtrAdd, ir.OpPtrIdx, ir.OpLoad, ir.OpStore:
		return p.address(v)
	case ir.OpIntToPtr:
		return p.integerAddress(v)
	case ir.OpPtrToInt:
		if x := v.Args[0]; x.Op == ir.OpIntToPtr && maxUnsigned(x.Args[0]) <= math.MaxUint32 {
			return copyOf(v, x.Args[0])
		}
	case ir.OpMove, ir.OpClear, ir.OpMoveN, ir.OpClearN, ir.OpMemEq, ir.OpMemCmp, ir.OpIndexByte:
		return p.bulk(v)
	case ir.OpNilCheck, ir.OpBounds, ir.OpCheck:
		return p.check(v)
	case ir.OpGas:
		if v.Aux == 0 && v.IsLate() {
			deleted(v)
			return true
		}
	case ir.OpGasN:
		if c := v.Args[0]; c.Op == ir.OpConst && c.Aux >= 0 && c.Aux <= 1<<40 {
			v.Op, v.Aux, v.Args = ir.OpGas, c.Aux, nil
			return true
		}
	}
	return false
}

func (p *simplifier) phi(v *ir.Value) bool {
	var same *ir.Value
	for i, a := range v.Args {
		a = origin(a)
		v.Args[i] = a
		if a == v || a == same {
			continue
		}
		if same != nil {
			if same.Op == ir.OpConst && a.Op == ir.OpConst && same.Aux == a.Aux {
				continue
			}
			return false
		}
		same = a
	}
	if same == nil {
		return false
	}
	if same.Op == ir.OpConst {
		// Equal constants may stand in different blocks.
		return constOf(v, same.Aux)
	}
	return copyOf(v, same)
}

func (p *simplifier) bitwise(v *ir.Value) bool {
	x, y := v.Args[0], v.Args[1]
	t := v.Type
	yc, isC := y.Aux, y.Op == ir.OpConst
	switch v.Op {
	case ir.OpAnd:
		if x == y {
			return copyOf(v, x)
		}
		if !isC {
			if y.Op == ir.OpNot {
				return replace(v, ir.OpAndNot, x, y.Args[0])
			}
			if x.Op == ir.OpNot {
				return replace(v, ir.OpAndNot, y, x.Args[0])
			}
			return false
		}
		if yc == 0 {
			return constOf(v, 0)
		}
		if yc == -1 || possibleOnes(x)&^unsigned(t, yc) == 0 {
			return copyOf(v, x)
		}
		if x.Op == ir.OpAnd && x.Args[1].Op == ir.OpConst {
			return replace(v, ir.OpAnd, x.Args[0], p.constant(t, yc&x.Args[1].Aux))
		}
	case ir.OpOr:
		if x == y {
			return copyOf(v, x)
		}
		if !isC {
			return p.rotate(v)
		}
		if yc == 0 {
			return copyOf(v, x)
		}
		if yc == -1 {
			return constOf(v, -1)
		}
		if x.Op == ir.OpOr && x.Args[1].Op == ir.OpConst {
			return replace(v, ir.OpOr, x.Args[0], p.constant(t, yc|x.Args[1].Aux))
		}
	case ir.OpXor:
		if x == y {
			return constOf(v, 0)
		}
		if !isC {
			return p.rotate(v)
		}
		if yc == 0 {
			if x.Op == ir.OpPtrToInt && p.early {
				return false // hides the address from the escape analysis
			}
			return copyOf(v, x)
		}
		if yc == -1 {
			return replace(v, ir.OpNot, x)
		}
		if x.Op == ir.OpXor && x.Args[1].Op == ir.OpConst {
			return replace(v, ir.OpXor, x.Args[0], p.constant(t, yc^x.Args[1].Aux))
		}
		if yc == 1 && t == ir.I8 {
			return p.invert(v, x)
		}
	case ir.OpAndNot:
		if x == y {
			return constOf(v, 0)
		}
		if isC {
			return replace(v, ir.OpAnd, x, p.constant(t, ^yc))
		}
		if x.IsConst(0) {
			return constOf(v, 0)
		}
		if x.IsConst(-1) {
			return replace(v, ir.OpNot, y)
		}
	case ir.OpShl, ir.OpShrS, ir.OpShrU:
		if x.IsConst(0) {
			return constOf(v, 0)
		}
		if !isC {
			return false
		}
		w := uint64(t.Bits())
		k := uint64(yc)
		if k == 0 {
			return copyOf(v, x)
		}
		if k >= w {
			if v.Op != ir.OpShrS {
				return constOf(v, 0)
			}
			if k > w-1 {
				return replace(v, ir.OpShrS, x, p.constant(ir.I64, int64(w-1)))
			}
		}
		if x.Op == v.Op && x.Args[1].Op == ir.OpConst {
			k2 := uint64(x.Args[1].Aux)
			if k2 < w {
				return replace(v, v.Op, x.Args[0], p.constant(ir.I64, int64(k+k2)))
			}
		}
		if v.Op == ir.OpShrU && x.Op == ir.OpShl && x.Args[1].IsConst(int64(k)) {
			return replace(v, ir.OpAnd, x.Args[0], p.constant(t, int64(unsigned(t, -1)>>k)))
		}
		if v.Op == ir.OpShl && x.Op == ir.OpShrU && x.Args[1].IsConst(int64(k)) {
			return replace(v, ir.OpAnd, x.Args[0], p.constant(t, -1<<k))
		}
		if v.Op == ir.OpShrU && x.Op == ir.OpZExt && k >= uint64(x.Args[0].Type.Bits()) {
			return constOf(v, 0)
		}
		if v.Op == ir.OpShrS && maxUnsigned(x) < 1<<(w-1) {
			return replace(v, ir.OpShrU, x, y)
		}
	case ir.OpRotl:
		if isC && uint64(yc)%uint64(t.Bits()) == 0 {
			return copyOf(v, x)
		}
	}
	return false
}

// rotate recognises x<<k | x>>(w-k) with a constant k.
func (p *simplifier) rotate(v *ir.Value) bool {
	x, y := v.Args[0], v.Args[1]
	if x.Op == ir.OpShrU {
		x, y = y, x
	}
	if x.Op != ir.OpShl || y.Op != ir.OpShrU || x.Args[0] != y.Args[0] {
		return false
	}
	k, r := x.Args[1], y.Args[1]
	if k.Op != ir.OpConst || r.Op != ir.OpConst || k.Aux <= 0 || r.Aux <= 0 || k.Aux+r.Aux != int64(v.Type.Bits()) {
		return false
	}
	return replace(v, ir.OpRotl, x.Args[0], k)
}

// invert turns v, the inversion of x, into the opposite comparison.
func (p *simplifier) invert(v, x *ir.Value) bool {
	switch x.Op {
	case ir.OpEq:
		return replace(v, ir.OpNe, x.Args[0], x.Args[1])
	case ir.OpNe:
		return replace(v, ir.OpEq, x.Args[0], x.Args[1])
	case ir.OpFEq:
		return replace(v, ir.OpFNe, x.Args[0], x.Args[1])
	case ir.OpFNe:
		return replace(v, ir.OpFEq, x.Args[0], x.Args[1])
	case ir.OpLtS:
		return replace(v, ir.OpLeS, x.Args[1], x.Args[0])
	case ir.OpLeS:
		return replace(v, ir.OpLtS, x.Args[1], x.Args[0])
	case ir.OpLtU:
		return replace(v, ir.OpLeU, x.Args[1], x.Args[0])
	case ir.OpLeU:
		return replace(v, ir.OpLtU, x.Args[1], x.Args[0])
	}
	if w := invertedBool(x); w != nil {
		return copyOf(v, w)
	}
	return false
}

func (p *simplifier) compare(v *ir.Value) bool {
	x, y := v.Args[0], v.Args[1]
	t := x.Type
	yc, isC := y.Aux, y.Op == ir.OpConst
	if x == y {
		return constOf(v, b2i(v.Op == ir.OpEq || v.Op == ir.OpLeS || v.Op == ir.OpLeU))
	}
	switch v.Op {
	case ir.OpEq, ir.OpNe:
		if !isC {
			// x + c == x + d and the like
			x0, c := addConst(x)
			y0, d := addConst(y)
			if x0 == y0 && t.IsInt() {
				return constOf(v, b2i((ir.TruncConst(t, c) == ir.TruncConst(t, d)) == (v.Op == ir.OpEq)))
			}
			return false
		}
		if t == ir.Ptr {
			if yc == 0 && nonNil(x) {
				return constOf(v, b2i(v.Op == ir.OpNe))
			}
			return false
		}
		if isBool(x) {
			switch {
			case yc != 0 && yc != 1:
				return constOf(v, b2i(v.Op == ir.OpNe))
			case (yc == 1) == (v.Op == ir.OpEq):
				if t == v.Type {
					return copyOf(v, x)
				}
			default:
				return p.invert(v, x)
			}
			return false
		}
		if x0, c := addConst(x); x0 != x {
			return replace(v, v.Op, x0, p.constant(t, yc-c))
		}
		if x.Op == ir.OpRemS && yc == 0 && !p.early && x.Args[1].Op == ir.OpConst {
			// A multiple of 2^k ends in k zero bits, whatever its sign.
			if d := ir.TruncConst(t, x.Args[1].Aux); d > 0 && d&(d-1) == 0 {
				return replace(v, v.Op, p.make(ir.OpAnd, t, x.Args[0], p.constant(t, d-1)), y)
			}
		}
		if x.Op == ir.OpZExt || x.Op == ir.OpSExt {
			from := x.Args[0].Type
			narrow := ir.TruncConst(from, yc)
			wide := narrow
			if x.Op == ir.OpZExt {
				wide = int64(unsigned(from, narrow))
			}
			if wide != yc {
				return constOf(v, b2i(v.Op == ir.OpNe))
			}
			return replace(v, v.Op, x.Args[0], p.constant(from, narrow))
		}
		if x.Op == ir.OpSub && yc == 0 {
			return replace(v, v.Op, x.Args[0], x.Args[1])
		}
		if x.Op == ir.OpXor && x.Args[1].Op == ir.OpConst {
			return replace(v, v.Op, x.Args[0], p.constant(t, yc^x.Args[1].Aux))
		}
		if unsigned(t, yc) > maxUnsigned(x) {
			return constOf(v, b2i(v.Op == ir.OpNe))
		}
	case ir.OpLtU:
		if isC {
			switch unsigned(t, yc) {
			case 0:
				return constOf(v, 0)
			case 1:
				if t.IsInt() {
					return replace(v, ir.OpEq, x, p.constant(t, 0))
				}
			}
			if maxUnsigned(x) < unsigned(t, yc) {
				return constOf(v, 1)
			}
		}
		if x.IsConst(0) && t.IsInt() {
			return replace(v, ir.OpNe, y, x)
		}
		if x.Op == ir.OpConst && unsigned(t, x.Aux) >= maxUnsigned(y) {
			return constOf(v, 0)
		}
	case ir.OpLeU:
		if x.IsConst(0) || isC && unsigned(t, yc) >= maxUnsigned(x) {
			return constOf(v, 1)
		}
		if isC && yc == 0 && t.IsInt() {
			return replace(v, ir.OpEq, x, y)
		}
		if x.Op == ir.OpConst && unsigned(t, x.Aux) > maxUnsigned(y) {
			return constOf(v, 0)
		}
	case ir.OpLtS:
		lo, hi := smallRange(x)
		lo2, hi2 := smallRange(y)
		if hi < lo2 {
			return constOf(v, 1)
		}
		if lo >= hi2 {
			return constOf(v, 0)
		}
	case ir.OpLeS:
		lo, hi := smallRange(x)
		lo2, hi2 := smallRange(y)
		if hi <= lo2 {
			return constOf(v, 1)
		}
		if lo > hi2 {
			return constOf(v, 0)
		}
	}
	return false
}

// nonNil reports whether an address is not nil by its operation alone.
func nonNil(v *ir.Value) bool {
	for {
		switch v.Op {
		case ir.OpLocalAddr, ir.OpNew, ir.OpNewArray, ir.OpClosure:
			return true
		case ir.OpConst:
			return v.Aux != 0
		case ir.OpPtrAdd, ir.OpPtrIdx:
			v = v.Args[0]
		default:
			return false
		}
	}
}

func (p *simplifier) selection(v *ir.Value) bool {
	c, x, y := v.Args[0], v.Args[1], v.Args[2]
	if c.Op == ir.OpConst {
		if c.Aux == 1 {
			return copyOf(v, x)
		}
		return copyOf(v, y)
	}
	if x == y {
		return copyOf(v, x)
	}
	if x.Op == ir.OpConst && y.Op == ir.OpConst {
		if x.Aux == y.Aux {
			return constOf(v, x.Aux)
		}
		if v.Type == ir.I8 {
			if x.Aux == 1 && y.Aux == 0 {
				return copyOf(v, c)
			}
			if x.Aux == 0 && y.Aux == 1 {
				return replace(v, ir.OpXor, c, p.constant(ir.I8, 1))
			}
		}
	}
	if w := invertedBool(c); w != nil {
		return replace(v, ir.OpSelect, w, y, x)
	}
	return false
}

func (p *simplifier) width(v *ir.Value) bool {
	x := v.Args[0]
	t := v.Type
	switch v.Op {
	case ir.OpSExt:
		if x.Op == ir.OpSExt {
			return replace(v, ir.OpSExt, x.Args[0])
		}
		if x.Op == ir.OpZExt || maxUnsigned(x) < 1<<(x.Type.Bits()-1) {
			return replace(v, ir.OpZExt, x)
		}
	case ir.OpZExt:
		if x.Op == ir.OpZExt {
			return replace(v, ir.OpZExt, x.Args[0])
		}
		if x.Op == ir.OpTrunc && x.Args[0].Type == t {
			return replace(v, ir.OpAnd, x.Args[0], p.constant(t, int64(unsigned(x.Type, -1))))
		}
	case ir.OpTrunc:
		switch x.Op {
		case ir.OpTrunc:
			return replace(v, ir.OpTrunc, x.Args[0])
		case ir.OpSExt, ir.OpZExt:
			y := x.Args[0]
			switch {
			case y.Type == t:
				return copyOf(v, y)
			case y.Type.Size() > t.Size():
				return replace(v, ir.OpTrunc, y)
			}
			return replace(v, x.Op, y)
		case ir.OpAnd:
			if c := x.Args[1]; c.Op == ir.OpConst && ir.TruncConst(t, c.Aux) == -1 {
				return replace(v, ir.OpTrunc, x.Args[0])
			}
		}
	}
	return false
}

// float applies the few rules that hold for every bit pattern. None may turn a
// NaN into another one, so x*1 stays.
func (p *simplifier) float(v *ir.Value) bool {
	x := v.Args[0]
	switch v.Op {
	case ir.OpFNeg:
		if x.Op == ir.OpFNeg {
			return copyOf(v, x.Args[0])
		}
	case ir.OpFAbs:
		if x.Op == ir.OpFAbs {
			return copyOf(v, x)
		}
	case ir.OpFDiv:
		// Division by a power of two is a product with its inverse.
		y := v.Args[1]
		if y.Op != ir.OpConst {
			return false
		}
		if v.Type == ir.F64 {
			f := math.Float64frombits(uint64(y.Aux))
			if m, e := math.Frexp(f); (m == 0.5 || m == -0.5) && e > -900 && e < 900 {
				return replace(v, ir.OpFMul, x, p.constant(ir.F64, int64(math.Float64bits(1/f))))
			}
		} else {
			f := math.Float32frombits(uint32(y.Aux))
			if m, e := math.Frexp(float64(f)); (m == 0.5 || m == -0.5) && e > -100 && e < 100 {
				return replace(v, ir.OpFMul, x, p.constant(ir.F32, int64(math.Float32bits(1/f))))
			}
		}
	}
	return false
}

func (p *simplifier) address(v *ir.Value) bool {
	base := v.Args[0]
	switch v.Op {
	case ir.OpPtrAdd:
		i := v.Args[1]
		if i.Op == ir.OpConst {
			if i.Aux == 0 {
				return copyOf(v, base)
			}
			if base.Op == ir.OpPtrAdd && base.Args[1].Op == ir.OpConst {
				return replace(v, ir.OpPtrAdd, base.Args[0], p.constant(ir.I64, i.Aux+base.Args[1].Aux))
			}
		}
	case ir.OpPtrIdx:
		if i := v.Args[1]; i.Op == ir.OpConst {
			return replace(v, ir.OpPtrAdd, base, p.constant(ir.I64, i.Aux*v.Aux+v.Aux2))
		}
		if v.Aux == 0 {
			return replace(v, ir.OpPtrAdd, base, p.constant(ir.I64, v.Aux2))
		}
	case ir.OpLoad, ir.OpStore:
		b, off := ptrBase(base)
		if b != base && off+v.Aux >= 0 && off+v.Aux <= maxFoldedOffset && off >= 0 {
			v.Args[0] = b
			v.Aux += off
			return true
		}
		if b.Op == ir.OpConst && v.Aux != 0 && b == base && b.Aux != 0 && b.Aux+v.Aux < 1<<31 {
			// One form for every address of the data segment.
			v.Args[0] = p.constant(ir.Ptr, b.Aux+v.Aux)
			v.Aux = 0
			return true
		}
	}
	return false
}

// integerAddress turns an address that went through an integer back into
// arithmetic with the address: unsafe.Pointer(uintptr(p) + x) is p + x. The base is
// then known to the escape analysis, and to the collector.
func (p *simplifier) integerAddress(v *ir.Value) bool {
	x := v.Args[0]
	if x.Op == ir.OpPtrToInt {
		return copyOf(v, x.Args[0])
	}
	if x.Op != ir.OpAdd && x.Op != ir.OpSub {
		return false
	}
	a, y := x.Args[0], x.Args[1]
	switch {
	case a.Op == ir.OpPtrToInt && y.Op == ir.OpPtrToInt:
		return false // which one is the base?
	case a.Op == ir.OpPtrToInt:
		if x.Op == ir.OpSub {
			y = p.make(ir.OpNeg, ir.I64, y)
		}
		return replace(v, ir.OpPtrAdd, a.Args[0], y)
	case y.Op == ir.OpPtrToInt && x.Op == ir.OpAdd:
		return replace(v, ir.OpPtrAdd, y.Args[0], a)
	case x.Op == ir.OpAdd && (a.Op == ir.OpAdd || a.Op == ir.OpSub) && a.Args[0].Op == ir.OpPtrToInt && a.Args[1].Op != ir.OpPtrToInt:
		// (p + i) + j
		i := a.Args[1]
		if a.Op == ir.OpSub {
			i = p.make(ir.OpNeg, ir.I64, i)
		}
		return replace(v, ir.OpPtrAdd, a.Args[0].Args[0], p.make(ir.OpAdd, ir.I64, i, y))
	}
	return false
}

func (p *simplifier) bulk(v *ir.Value) bool {
	switch v.Op {
	case ir.OpMove:
		if v.Aux == 0 || v.Args[0] == v.Args[1] {
			deleted(v)
			return true
		}
	case ir.OpClear:
		if v.Aux == 0 {
			deleted(v)
			return true
		}
	case ir.OpMoveN:
		if v.Args[0] == v.Args[1] {
			deleted(v)
			return true
		}
		if n := v.Args[2]; n.Op == ir.OpConst && n.Aux >= 0 && n.Aux <= ir.MaxObject {
			v.Op, v.Aux, v.Args = ir.OpMove, n.Aux, v.Args[:2]
			return true
		}
	case ir.OpClearN:
		if n := v.Args[1]; n.Op == ir.OpConst && n.Aux >= 0 && n.Aux <= ir.MaxObject {
			v.Op, v.Aux, v.Args = ir.OpClear, n.Aux, v.Args[:1]
			return true
		}
	case ir.OpMemEq:
		n := v.Args[2]
		if v.Args[0] == v.Args[1] || n.IsConst(0) {
			return constOf(v, 1)
		}
		if n.Op == ir.OpConst {
			return p.smallEqual(v, n.Aux)
		}
	case ir.OpMemCmp:
		if v.Args[0] == v.Args[2] && v.Args[1] == v.Args[3] {
			return constOf(v, 0)
		}
	case ir.OpIndexByte:
		if v.Args[1].IsConst(0) {
			return constOf(v, -1)
		}
	}
	return false
}

// smallEqual compares memory of one machine word by two loads; a constant side
// is a load that a later round cannot fold, since only code is immutable here.
func (p *simplifier) smallEqual(v *ir.Value, n int64) bool {
	var t ir.Type
	switch n {
	case 1:
		t = ir.I8
	case 2:
		t = ir.I16
	case 4:
		t = ir.I32
	case 8:
		t = ir.I64
	default:
		return false
	}
	x := p.make(ir.OpLoad, t, v.Args[0])
	y := p.make(ir.OpLoad, t, v.Args[1])
	return replace(v, ir.OpEq, x, y)
}

func (p *simplifier) check(v *ir.Value) bool {
	ok := false
	switch v.Op {
	case ir.OpNilCheck:
		ok = nonNil(v.Args[0])
	case ir.OpBounds:
		i, n := v.Args[0], v.Args[1]
		ok = n.Op == ir.OpConst && maxUnsigned(i) < uint64(n.Aux)
	case ir.OpCheck:
		ok = v.Args[0].IsConst(1)
	}
	if ok {
		if p.log {
			p.because(v, "%s", alwaysPasses(v))
		}
		deleted(v)
	}
	return ok
}
