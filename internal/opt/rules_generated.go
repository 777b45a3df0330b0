// Code generated from rules/*.rules by rules/gen. DO NOT EDIT.

package opt

import "github.com/gyrvm/gyr/internal/ir"

// The rules by number.
const (
	noRule rule = iota
	ruleAddZero
	ruleAddConst
	ruleAddSubConst
	ruleAddSub
	ruleAddSubLeft
	ruleAddNeg
	ruleAddNegLeft
	ruleSubZero
	ruleSubConst
	ruleSubSame
	ruleSubFromZero
	ruleSubSum
	ruleSubSumRight
	ruleSubSums
	ruleSubSumConst
	ruleSubNeg
	ruleSubConstSum
	ruleMulZero
	ruleMulOne
	ruleMulMinusOne
	ruleMulPow2
	ruleMulConst
	ruleMulNeg
	ruleDivsOne
	ruleDivsMinusOne
	ruleRemsOne
	ruleRemsMinusOne
	ruleDivuPow2
	ruleRemuPow2
	ruleNegNeg
	ruleNegSub
	ruleNotNot
	numRules
)

var ruleNames = [numRules]string{
	ruleAddZero:      "add-zero",
	ruleAddConst:     "add-const",
	ruleAddSubConst:  "add-sub-const",
	ruleAddSub:       "add-sub",
	ruleAddSubLeft:   "add-sub-left",
	ruleAddNeg:       "add-neg",
	ruleAddNegLeft:   "add-neg-left",
	ruleSubZero:      "sub-zero",
	ruleSubConst:     "sub-const",
	ruleSubSame:      "sub-same",
	ruleSubFromZero:  "sub-from-zero",
	ruleSubSum:       "sub-sum",
	ruleSubSumRight:  "sub-sum-right",
	ruleSubSums:      "sub-sums",
	ruleSubSumConst:  "sub-sum-const",
	ruleSubNeg:       "sub-neg",
	ruleSubConstSum:  "sub-const-sum",
	ruleMulZero:      "mul-zero",
	ruleMulOne:       "mul-one",
	ruleMulMinusOne:  "mul-minus-one",
	ruleMulPow2:      "mul-pow2",
	ruleMulConst:     "mul-const",
	ruleMulNeg:       "mul-neg",
	ruleDivsOne:      "divs-one",
	ruleDivsMinusOne: "divs-minus-one",
	ruleRemsOne:      "rems-one",
	ruleRemsMinusOne: "rems-minus-one",
	ruleDivuPow2:     "divu-pow2",
	ruleRemuPow2:     "remu-pow2",
	ruleNegNeg:       "neg-neg",
	ruleNegSub:       "neg-sub",
	ruleNotNot:       "not-not",
}

// rewrite applies the first rule of v's operation that matches.
func (p *simplifier) rewrite(v *ir.Value) rule {
	switch v.Op {
	case ir.OpAdd:
		return p.rewriteAdd(v)
	case ir.OpSub:
		return p.rewriteSub(v)
	case ir.OpMul:
		return p.rewriteMul(v)
	case ir.OpDivS:
		return p.rewriteDivS(v)
	case ir.OpDivU:
		return p.rewriteDivU(v)
	case ir.OpRemS:
		return p.rewriteRemS(v)
	case ir.OpRemU:
		return p.rewriteRemU(v)
	case ir.OpNeg:
		return p.rewriteNeg(v)
	case ir.OpNot:
		return p.rewriteNot(v)
	}
	return noRule
}

func (p *simplifier) rewriteAdd(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y.Op == ir.OpConst {
		if y.Aux == 0 {
			copyOf(v, x)
			return ruleAddZero
		}
		if x.Op == ir.OpAdd && x.Args[1].Op == ir.OpConst {
			replace(v, ir.OpAdd, x.Args[0], p.constant(v.Type, x.Args[1].Aux+y.Aux))
			return ruleAddConst
		}
		if x.Op == ir.OpSub && x.Args[0].Op == ir.OpConst {
			replace(v, ir.OpSub, p.constant(v.Type, x.Args[0].Aux+y.Aux), x.Args[1])
			return ruleAddSubConst
		}
	}
	if x.Op == ir.OpSub && y == x.Args[1] && !(y.Op == ir.OpConst) {
		copyOf(v, x.Args[0])
		return ruleAddSub
	}
	if y.Op == ir.OpSub && x == y.Args[1] {
		copyOf(v, y.Args[0])
		return ruleAddSubLeft
	}
	if y.Op == ir.OpNeg {
		replace(v, ir.OpSub, x, y.Args[0])
		return ruleAddNeg
	}
	if x.Op == ir.OpNeg && !(y.Op == ir.OpConst) {
		replace(v, ir.OpSub, y, x.Args[0])
		return ruleAddNegLeft
	}
	return noRule
}

func (p *simplifier) rewriteSub(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y.Op == ir.OpConst {
		if y.Aux == 0 {
			copyOf(v, x)
			return ruleSubZero
		}
		replace(v, ir.OpAdd, x, p.constant(v.Type, -y.Aux))
		return ruleSubConst
	}
	if y == x {
		constOf(v, 0)
		return ruleSubSame
	}
	if x.Op == ir.OpConst && x.Aux == 0 {
		replace(v, ir.OpNeg, y)
		return ruleSubFromZero
	}
	if x.Op == ir.OpAdd {
		if y == x.Args[0] {
			copyOf(v, x.Args[1])
			return ruleSubSum
		}
		if y == x.Args[1] {
			copyOf(v, x.Args[0])
			return ruleSubSumRight
		}
	}
	if y.Op == ir.OpAdd {
		if x.Op == ir.OpAdd && x.Args[1].Op == ir.OpConst && y.Args[1].Op == ir.OpConst && x.Args[0] == y.Args[0] {
			constOf(v, x.Args[1].Aux-y.Args[1].Aux)
			return ruleSubSums
		}
		if y.Args[1].Op == ir.OpConst && x == y.Args[0] {
			constOf(v, -y.Args[1].Aux)
			return ruleSubSumConst
		}
	}
	if y.Op == ir.OpNeg {
		replace(v, ir.OpAdd, x, y.Args[0])
		return ruleSubNeg
	}
	if y.Op == ir.OpAdd && x.Op == ir.OpConst && y.Args[1].Op == ir.OpConst {
		replace(v, ir.OpSub, p.constant(v.Type, x.Aux-y.Args[1].Aux), y.Args[0])
		return ruleSubConstSum
	}
	return noRule
}

func (p *simplifier) rewriteMul(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y.Op == ir.OpConst {
		if y.Aux == 0 {
			constOf(v, 0)
			return ruleMulZero
		}
		if y.Aux == 1 {
			copyOf(v, x)
			return ruleMulOne
		}
		if y.Aux == -1 {
			replace(v, ir.OpNeg, x)
			return ruleMulMinusOne
		}
		if isPowerOf2(unsigned(y.Type, y.Aux)) {
			replace(v, ir.OpShl, x, p.constant(ir.I64, log2(unsigned(y.Type, y.Aux))))
			return ruleMulPow2
		}
		if x.Op == ir.OpMul && x.Args[1].Op == ir.OpConst {
			replace(v, ir.OpMul, x.Args[0], p.constant(v.Type, x.Args[1].Aux*y.Aux))
			return ruleMulConst
		}
		if x.Op == ir.OpNeg {
			replace(v, ir.OpMul, x.Args[0], p.constant(v.Type, -y.Aux))
			return ruleMulNeg
		}
	}
	return noRule
}

func (p *simplifier) rewriteDivS(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y.Op == ir.OpConst {
		if y.Aux == 1 {
			copyOf(v, x)
			return ruleDivsOne
		}
		if y.Aux == -1 {
			replace(v, ir.OpNeg, x)
			return ruleDivsMinusOne
		}
	}
	return noRule
}

func (p *simplifier) rewriteDivU(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y.Op == ir.OpConst && isPowerOf2(unsigned(y.Type, y.Aux)) {
		replace(v, ir.OpShrU, x, p.constant(ir.I64, log2(unsigned(y.Type, y.Aux))))
		return ruleDivuPow2
	}
	return noRule
}

func (p *simplifier) rewriteRemS(v *ir.Value) rule {
	y := v.Args[1]
	if y.Op == ir.OpConst {
		if y.Aux == 1 {
			constOf(v, 0)
			return ruleRemsOne
		}
		if y.Aux == -1 {
			constOf(v, 0)
			return ruleRemsMinusOne
		}
	}
	return noRule
}

func (p *simplifier) rewriteRemU(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y.Op == ir.OpConst && isPowerOf2(unsigned(y.Type, y.Aux)) {
		replace(v, ir.OpAnd, x, p.constant(v.Type, int64(unsigned(y.Type, y.Aux)-1)))
		return ruleRemuPow2
	}
	return noRule
}

func (p *simplifier) rewriteNeg(v *ir.Value) rule {
	x := v.Args[0]
	if x.Op == ir.OpNeg {
		copyOf(v, x.Args[0])
		return ruleNegNeg
	}
	if x.Op == ir.OpSub {
		replace(v, ir.OpSub, x.Args[1], x.Args[0])
		return ruleNegSub
	}
	return noRule
}

func (p *simplifier) rewriteNot(v *ir.Value) rule {
	x := v.Args[0]
	if x.Op == ir.OpNot {
		copyOf(v, x.Args[0])
		return ruleNotNot
	}
	return noRule
}
