package opt

import (
	"math"
	"math/bits"

	"github.com/gyrvm/gyr/internal/ir"
)

// rules/*.rules have the algebra of the optimiser. The running code is generated from them; package
// rules/prove shows that they are right.
//go:generate go run ./rules/gen

// A rule is the number of an entry in these files.
type rule uint16

func (r rule) String() string { return ruleNames[r] }

// # What rules do to a value

// make adds an operation before the one that is being simplified.
func (p *simplifier) make(op ir.Op, t ir.Type, args ...*ir.Value) *ir.Value {
	v := p.f.NewValue(op, t, args...)
	return p.made(v)
}

func (p *simplifier) constant(t ir.Type, c int64) *ir.Value {
	v := p.newConst(t, c)
	return p.made(v)
}

func (p *simplifier) made(v *ir.Value) *ir.Value {
	v.Pos = p.pos
	if p.ledger != nil {
		p.ledger.enter(v)
	}
	return p.add(v)
}

// replace gives v another operation and operands.
func replace(v *ir.Value, op ir.Op, args ...*ir.Value) { replaceAux(v, op, 0, 0, args...) }

func replaceAux(v *ir.Value, op ir.Op, aux, aux2 int64, args ...*ir.Value) {
	v.Op = op
	v.Args = append([]*ir.Value(nil), args...)
	v.Aux, v.Aux2 = aux, aux2
}

// copyOf turns v into another value, constOf into a constant.
func copyOf(v, w *ir.Value)        { becomes(v, w) }
func constOf(v *ir.Value, c int64) { becomesConst(v, c) }

// remove deletes a value without an effect.
func (p *simplifier) remove(v *ir.Value) {
	if p.log && v.HasEffect(ir.MayTrap) {
		p.because(v, "%s", alwaysPasses(v))
	}
	deleted(v)
}

// # Conditions

// isPowerOf2 is the rules' function pow2.
func isPowerOf2(x uint64) bool { return x != 0 && x&(x-1) == 0 }

// log2 is the rules' function log2.
func log2(x uint64) int64 { return int64(bits.TrailingZeros64(x)) }

// minSigned and maxSigned are the rules' facts smin and smax.
func minSigned(v *ir.Value) int64 { lo, _ := smallRange(v); return lo }
func maxSigned(v *ir.Value) int64 { _, hi := smallRange(v); return hi }

// maxFoldedOffset bounds the constant offsets that are folded into loads and stores.
const maxFoldedOffset = 1 << 20

// invertible reports whether a float constant is a power of two whose inverse is exact.
func invertible(t ir.Type, c int64) bool {
	m, e := math.Frexp(floatOf(t, c))
	limit := 900
	if t == ir.F32 {
		limit = 100
	}
	return (m == 0.5 || m == -0.5) && e > -limit && e < limit
}

// inverse returns the bits of the inverse of a float constant.
func inverse(t ir.Type, c int64) int64 {
	f := 1 / floatOf(t, c)
	if t == ir.F32 {
		return int64(math.Float32bits(float32(f)))
	}
	return int64(math.Float64bits(f))
}

func floatOf(t ir.Type, c int64) float64 {
	if t == ir.F32 {
		return float64(math.Float32frombits(uint32(c)))
	}
	return math.Float64frombits(uint64(c))
}
