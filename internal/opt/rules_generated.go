// Code generated from rules/*.rules by rules/gen. DO NOT EDIT.

package opt

import "github.com/gyrvm/gyr/internal/ir"

// The rules by number.
const (
	noRule rule = iota
	rulePtraddZero
	rulePtraddConst
	rulePtridxConst
	rulePtridxNoScale
	ruleInttoptrSame
	ruleInttoptrAdd
	ruleInttoptrSub
	ruleInttoptrAddRight
	ruleInttoptrAddAdd
	ruleInttoptrSubAdd
	rulePtrtointSame
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
	ruleAndSame
	ruleAndNot
	ruleAndNotLeft
	ruleAndZero
	ruleAndMask
	ruleAndConst
	ruleOrSame
	ruleOrRotate
	ruleOrRotateRight
	ruleXorRotate
	ruleXorRotateRight
	ruleOrZero
	ruleOrOnes
	ruleOrConst
	ruleXorSame
	ruleXorZero
	ruleXorOnes
	ruleXorConst
	ruleAndnotSame
	ruleAndnotConst
	ruleAndnotFromZero
	ruleAndnotFromOnes
	ruleShlOfZero
	ruleShlZero
	ruleShruOfZero
	ruleShruZero
	ruleShrsOfZero
	ruleShrsZero
	ruleShlAll
	ruleShruAll
	ruleShrsAll
	ruleShlShl
	ruleShruShru
	ruleShrsShrs
	ruleShruShl
	ruleShlShru
	ruleShruZext
	ruleShrsPositive
	ruleRotlZero
	ruleInvertedXor
	ruleInvertedEq
	ruleInvertedNe
	ruleXorEq
	ruleXorNe
	ruleXorFeq
	ruleXorFne
	ruleXorLts
	ruleXorLes
	ruleXorLtu
	ruleXorLeu
	ruleEqSame
	ruleEqSums
	ruleEqSumsDiffer
	ruleEqSum
	ruleEqSumRight
	ruleEqNonnil
	ruleEqBoolNever
	ruleEqBoolItself
	ruleEqBoolEq
	ruleEqBoolNe
	ruleEqBoolFeq
	ruleEqBoolFne
	ruleEqBoolLts
	ruleEqBoolLes
	ruleEqBoolLtu
	ruleEqBoolLeu
	ruleEqBoolInverted
	ruleEqSumConst
	ruleEqRemsPow2
	ruleEqZextNever
	ruleEqZext
	ruleEqSextNever
	ruleEqSext
	ruleEqSub
	ruleEqXor
	ruleEqAbove
	ruleNeSame
	ruleNeSums
	ruleNeSumsDiffer
	ruleNeSum
	ruleNeSumRight
	ruleNeNonnil
	ruleNeBoolNever
	ruleNeBoolItself
	ruleNeBoolEq
	ruleNeBoolNe
	ruleNeBoolFeq
	ruleNeBoolFne
	ruleNeBoolLts
	ruleNeBoolLes
	ruleNeBoolLtu
	ruleNeBoolLeu
	ruleNeBoolInverted
	ruleNeSumConst
	ruleNeRemsPow2
	ruleNeZextNever
	ruleNeZext
	ruleNeSextNever
	ruleNeSext
	ruleNeSub
	ruleNeXor
	ruleNeAbove
	ruleLtuSame
	ruleLtuZero
	ruleLtuOne
	ruleLtuAbove
	ruleLtuFromZero
	ruleLtuFromAbove
	ruleLeuSame
	ruleLeuFromZero
	ruleLeuAbove
	ruleLeuZero
	ruleLeuFromAbove
	ruleLtsSame
	ruleLtsAlways
	ruleLtsNever
	ruleLesSame
	ruleLesAlways
	ruleLesNever
	ruleSelectOne
	ruleSelectOther
	ruleSelectSame
	ruleSelectEqual
	ruleSelectBool
	ruleSelectNot
	ruleSelectInverted
	ruleNilcheckPasses
	ruleBoundsPasses
	ruleCheckPasses
	rulePhiSame
	ruleFold
	ruleConstantRight
	ruleBranchInverted
	ruleFnegFneg
	ruleFabsFabs
	ruleFdivPow2F64
	ruleFdivPow2F32
	ruleLoadOffset
	ruleStoreOffset
	ruleLoadData
	ruleStoreData
	ruleMoveNone
	ruleMoveSame
	ruleClearNone
	ruleMovenSame
	ruleMovenConst
	ruleClearnConst
	ruleMemeqSame
	ruleMemeqNone
	ruleMemeq1
	ruleMemeq2
	ruleMemeq4
	ruleMemeq8
	ruleMemcmpSame
	ruleIndexbyteNone
	ruleGasNone
	ruleGasnConst
	ruleSextSext
	ruleSextZext
	ruleSextPositive
	ruleZextZext
	ruleZextTrunc
	ruleTruncTrunc
	ruleTruncSextSame
	ruleTruncSextDown
	ruleTruncSextUp
	ruleTruncZextSame
	ruleTruncZextDown
	ruleTruncZextUp
	ruleTruncAnd
	numRules
)

var ruleNames = [numRules]string{
	rulePtraddZero:       "ptradd-zero",
	rulePtraddConst:      "ptradd-const",
	rulePtridxConst:      "ptridx-const",
	rulePtridxNoScale:    "ptridx-no-scale",
	ruleInttoptrSame:     "inttoptr-same",
	ruleInttoptrAdd:      "inttoptr-add",
	ruleInttoptrSub:      "inttoptr-sub",
	ruleInttoptrAddRight: "inttoptr-add-right",
	ruleInttoptrAddAdd:   "inttoptr-add-add",
	ruleInttoptrSubAdd:   "inttoptr-sub-add",
	rulePtrtointSame:     "ptrtoint-same",
	ruleAddZero:          "add-zero",
	ruleAddConst:         "add-const",
	ruleAddSubConst:      "add-sub-const",
	ruleAddSub:           "add-sub",
	ruleAddSubLeft:       "add-sub-left",
	ruleAddNeg:           "add-neg",
	ruleAddNegLeft:       "add-neg-left",
	ruleSubZero:          "sub-zero",
	ruleSubConst:         "sub-const",
	ruleSubSame:          "sub-same",
	ruleSubFromZero:      "sub-from-zero",
	ruleSubSum:           "sub-sum",
	ruleSubSumRight:      "sub-sum-right",
	ruleSubSums:          "sub-sums",
	ruleSubSumConst:      "sub-sum-const",
	ruleSubNeg:           "sub-neg",
	ruleSubConstSum:      "sub-const-sum",
	ruleMulZero:          "mul-zero",
	ruleMulOne:           "mul-one",
	ruleMulMinusOne:      "mul-minus-one",
	ruleMulPow2:          "mul-pow2",
	ruleMulConst:         "mul-const",
	ruleMulNeg:           "mul-neg",
	ruleDivsOne:          "divs-one",
	ruleDivsMinusOne:     "divs-minus-one",
	ruleRemsOne:          "rems-one",
	ruleRemsMinusOne:     "rems-minus-one",
	ruleDivuPow2:         "divu-pow2",
	ruleRemuPow2:         "remu-pow2",
	ruleNegNeg:           "neg-neg",
	ruleNegSub:           "neg-sub",
	ruleNotNot:           "not-not",
	ruleAndSame:          "and-same",
	ruleAndNot:           "and-not",
	ruleAndNotLeft:       "and-not-left",
	ruleAndZero:          "and-zero",
	ruleAndMask:          "and-mask",
	ruleAndConst:         "and-const",
	ruleOrSame:           "or-same",
	ruleOrRotate:         "or-rotate",
	ruleOrRotateRight:    "or-rotate-right",
	ruleXorRotate:        "xor-rotate",
	ruleXorRotateRight:   "xor-rotate-right",
	ruleOrZero:           "or-zero",
	ruleOrOnes:           "or-ones",
	ruleOrConst:          "or-const",
	ruleXorSame:          "xor-same",
	ruleXorZero:          "xor-zero",
	ruleXorOnes:          "xor-ones",
	ruleXorConst:         "xor-const",
	ruleAndnotSame:       "andnot-same",
	ruleAndnotConst:      "andnot-const",
	ruleAndnotFromZero:   "andnot-from-zero",
	ruleAndnotFromOnes:   "andnot-from-ones",
	ruleShlOfZero:        "shl-of-zero",
	ruleShlZero:          "shl-zero",
	ruleShruOfZero:       "shru-of-zero",
	ruleShruZero:         "shru-zero",
	ruleShrsOfZero:       "shrs-of-zero",
	ruleShrsZero:         "shrs-zero",
	ruleShlAll:           "shl-all",
	ruleShruAll:          "shru-all",
	ruleShrsAll:          "shrs-all",
	ruleShlShl:           "shl-shl",
	ruleShruShru:         "shru-shru",
	ruleShrsShrs:         "shrs-shrs",
	ruleShruShl:          "shru-shl",
	ruleShlShru:          "shl-shru",
	ruleShruZext:         "shru-zext",
	ruleShrsPositive:     "shrs-positive",
	ruleRotlZero:         "rotl-zero",
	ruleInvertedXor:      "inverted-xor",
	ruleInvertedEq:       "inverted-eq",
	ruleInvertedNe:       "inverted-ne",
	ruleXorEq:            "xor-eq",
	ruleXorNe:            "xor-ne",
	ruleXorFeq:           "xor-feq",
	ruleXorFne:           "xor-fne",
	ruleXorLts:           "xor-lts",
	ruleXorLes:           "xor-les",
	ruleXorLtu:           "xor-ltu",
	ruleXorLeu:           "xor-leu",
	ruleEqSame:           "eq-same",
	ruleEqSums:           "eq-sums",
	ruleEqSumsDiffer:     "eq-sums-differ",
	ruleEqSum:            "eq-sum",
	ruleEqSumRight:       "eq-sum-right",
	ruleEqNonnil:         "eq-nonnil",
	ruleEqBoolNever:      "eq-bool-never",
	ruleEqBoolItself:     "eq-bool-itself",
	ruleEqBoolEq:         "eq-bool-eq",
	ruleEqBoolNe:         "eq-bool-ne",
	ruleEqBoolFeq:        "eq-bool-feq",
	ruleEqBoolFne:        "eq-bool-fne",
	ruleEqBoolLts:        "eq-bool-lts",
	ruleEqBoolLes:        "eq-bool-les",
	ruleEqBoolLtu:        "eq-bool-ltu",
	ruleEqBoolLeu:        "eq-bool-leu",
	ruleEqBoolInverted:   "eq-bool-inverted",
	ruleEqSumConst:       "eq-sum-const",
	ruleEqRemsPow2:       "eq-rems-pow2",
	ruleEqZextNever:      "eq-zext-never",
	ruleEqZext:           "eq-zext",
	ruleEqSextNever:      "eq-sext-never",
	ruleEqSext:           "eq-sext",
	ruleEqSub:            "eq-sub",
	ruleEqXor:            "eq-xor",
	ruleEqAbove:          "eq-above",
	ruleNeSame:           "ne-same",
	ruleNeSums:           "ne-sums",
	ruleNeSumsDiffer:     "ne-sums-differ",
	ruleNeSum:            "ne-sum",
	ruleNeSumRight:       "ne-sum-right",
	ruleNeNonnil:         "ne-nonnil",
	ruleNeBoolNever:      "ne-bool-never",
	ruleNeBoolItself:     "ne-bool-itself",
	ruleNeBoolEq:         "ne-bool-eq",
	ruleNeBoolNe:         "ne-bool-ne",
	ruleNeBoolFeq:        "ne-bool-feq",
	ruleNeBoolFne:        "ne-bool-fne",
	ruleNeBoolLts:        "ne-bool-lts",
	ruleNeBoolLes:        "ne-bool-les",
	ruleNeBoolLtu:        "ne-bool-ltu",
	ruleNeBoolLeu:        "ne-bool-leu",
	ruleNeBoolInverted:   "ne-bool-inverted",
	ruleNeSumConst:       "ne-sum-const",
	ruleNeRemsPow2:       "ne-rems-pow2",
	ruleNeZextNever:      "ne-zext-never",
	ruleNeZext:           "ne-zext",
	ruleNeSextNever:      "ne-sext-never",
	ruleNeSext:           "ne-sext",
	ruleNeSub:            "ne-sub",
	ruleNeXor:            "ne-xor",
	ruleNeAbove:          "ne-above",
	ruleLtuSame:          "ltu-same",
	ruleLtuZero:          "ltu-zero",
	ruleLtuOne:           "ltu-one",
	ruleLtuAbove:         "ltu-above",
	ruleLtuFromZero:      "ltu-from-zero",
	ruleLtuFromAbove:     "ltu-from-above",
	ruleLeuSame:          "leu-same",
	ruleLeuFromZero:      "leu-from-zero",
	ruleLeuAbove:         "leu-above",
	ruleLeuZero:          "leu-zero",
	ruleLeuFromAbove:     "leu-from-above",
	ruleLtsSame:          "lts-same",
	ruleLtsAlways:        "lts-always",
	ruleLtsNever:         "lts-never",
	ruleLesSame:          "les-same",
	ruleLesAlways:        "les-always",
	ruleLesNever:         "les-never",
	ruleSelectOne:        "select-one",
	ruleSelectOther:      "select-other",
	ruleSelectSame:       "select-same",
	ruleSelectEqual:      "select-equal",
	ruleSelectBool:       "select-bool",
	ruleSelectNot:        "select-not",
	ruleSelectInverted:   "select-inverted",
	ruleNilcheckPasses:   "nilcheck-passes",
	ruleBoundsPasses:     "bounds-passes",
	ruleCheckPasses:      "check-passes",
	rulePhiSame:          "phi-same",
	ruleFold:             "fold",
	ruleConstantRight:    "constant-right",
	ruleBranchInverted:   "branch-inverted",
	ruleFnegFneg:         "fneg-fneg",
	ruleFabsFabs:         "fabs-fabs",
	ruleFdivPow2F64:      "fdiv-pow2-f64",
	ruleFdivPow2F32:      "fdiv-pow2-f32",
	ruleLoadOffset:       "load-offset",
	ruleStoreOffset:      "store-offset",
	ruleLoadData:         "load-data",
	ruleStoreData:        "store-data",
	ruleMoveNone:         "move-none",
	ruleMoveSame:         "move-same",
	ruleClearNone:        "clear-none",
	ruleMovenSame:        "moven-same",
	ruleMovenConst:       "moven-const",
	ruleClearnConst:      "clearn-const",
	ruleMemeqSame:        "memeq-same",
	ruleMemeqNone:        "memeq-none",
	ruleMemeq1:           "memeq-1",
	ruleMemeq2:           "memeq-2",
	ruleMemeq4:           "memeq-4",
	ruleMemeq8:           "memeq-8",
	ruleMemcmpSame:       "memcmp-same",
	ruleIndexbyteNone:    "indexbyte-none",
	ruleGasNone:          "gas-none",
	ruleGasnConst:        "gasn-const",
	ruleSextSext:         "sext-sext",
	ruleSextZext:         "sext-zext",
	ruleSextPositive:     "sext-positive",
	ruleZextZext:         "zext-zext",
	ruleZextTrunc:        "zext-trunc",
	ruleTruncTrunc:       "trunc-trunc",
	ruleTruncSextSame:    "trunc-sext-same",
	ruleTruncSextDown:    "trunc-sext-down",
	ruleTruncSextUp:      "trunc-sext-up",
	ruleTruncZextSame:    "trunc-zext-same",
	ruleTruncZextDown:    "trunc-zext-down",
	ruleTruncZextUp:      "trunc-zext-up",
	ruleTruncAnd:         "trunc-and",
}

// rewrite applies the first rule of v's operation that matches.
func (p *simplifier) rewrite(v *ir.Value) rule {
	switch v.Op {
	case ir.OpPhi:
		return p.rewritePhi(v)
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
	case ir.OpAnd:
		return p.rewriteAnd(v)
	case ir.OpOr:
		return p.rewriteOr(v)
	case ir.OpXor:
		return p.rewriteXor(v)
	case ir.OpAndNot:
		return p.rewriteAndNot(v)
	case ir.OpShl:
		return p.rewriteShl(v)
	case ir.OpShrS:
		return p.rewriteShrS(v)
	case ir.OpShrU:
		return p.rewriteShrU(v)
	case ir.OpRotl:
		return p.rewriteRotl(v)
	case ir.OpNeg:
		return p.rewriteNeg(v)
	case ir.OpNot:
		return p.rewriteNot(v)
	case ir.OpEq:
		return p.rewriteEq(v)
	case ir.OpNe:
		return p.rewriteNe(v)
	case ir.OpLtS:
		return p.rewriteLtS(v)
	case ir.OpLeS:
		return p.rewriteLeS(v)
	case ir.OpLtU:
		return p.rewriteLtU(v)
	case ir.OpLeU:
		return p.rewriteLeU(v)
	case ir.OpSelect:
		return p.rewriteSelect(v)
	case ir.OpSExt:
		return p.rewriteSExt(v)
	case ir.OpZExt:
		return p.rewriteZExt(v)
	case ir.OpTrunc:
		return p.rewriteTrunc(v)
	case ir.OpPtrToInt:
		return p.rewritePtrToInt(v)
	case ir.OpIntToPtr:
		return p.rewriteIntToPtr(v)
	case ir.OpFDiv:
		return p.rewriteFDiv(v)
	case ir.OpFNeg:
		return p.rewriteFNeg(v)
	case ir.OpFAbs:
		return p.rewriteFAbs(v)
	case ir.OpPtrAdd:
		return p.rewritePtrAdd(v)
	case ir.OpPtrIdx:
		return p.rewritePtrIdx(v)
	case ir.OpLoad:
		return p.rewriteLoad(v)
	case ir.OpStore:
		return p.rewriteStore(v)
	case ir.OpMove:
		return p.rewriteMove(v)
	case ir.OpClear:
		return p.rewriteClear(v)
	case ir.OpMoveN:
		return p.rewriteMoveN(v)
	case ir.OpClearN:
		return p.rewriteClearN(v)
	case ir.OpMemEq:
		return p.rewriteMemEq(v)
	case ir.OpMemCmp:
		return p.rewriteMemCmp(v)
	case ir.OpIndexByte:
		return p.rewriteIndexByte(v)
	case ir.OpNilCheck:
		return p.rewriteNilCheck(v)
	case ir.OpBounds:
		return p.rewriteBounds(v)
	case ir.OpCheck:
		return p.rewriteCheck(v)
	case ir.OpGas:
		return p.rewriteGas(v)
	case ir.OpGasN:
		return p.rewriteGasN(v)
	}
	return noRule
}

func (p *simplifier) rewritePhi(v *ir.Value) rule {
	if p.phiSame(v) {
		return rulePhiSame
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

func (p *simplifier) rewriteAnd(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y == x {
		copyOf(v, y)
		return ruleAndSame
	}
	if y.Op == ir.OpNot {
		replace(v, ir.OpAndNot, x, y.Args[0])
		return ruleAndNot
	}
	if x.Op == ir.OpNot && !(y.Op == ir.OpConst) {
		replace(v, ir.OpAndNot, y, x.Args[0])
		return ruleAndNotLeft
	}
	if y.Op == ir.OpConst {
		if y.Aux == 0 {
			constOf(v, 0)
			return ruleAndZero
		}
		if possibleOnes(x)&^unsigned(y.Type, y.Aux) == 0 {
			copyOf(v, x)
			return ruleAndMask
		}
		if x.Op == ir.OpAnd && x.Args[1].Op == ir.OpConst {
			replace(v, ir.OpAnd, x.Args[0], p.constant(v.Type, x.Args[1].Aux&y.Aux))
			return ruleAndConst
		}
	}
	return noRule
}

func (p *simplifier) rewriteOr(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y == x {
		copyOf(v, y)
		return ruleOrSame
	}
	if y.Op == ir.OpShrU && x.Op == ir.OpShl && x.Args[1].Op == ir.OpConst && y.Args[1].Op == ir.OpConst && x.Args[0] == y.Args[0] && x.Args[1].Aux > 0 && y.Args[1].Aux > 0 && x.Args[1].Aux+y.Args[1].Aux == int64(uint64(x.Args[0].Type.Bits())) {
		replace(v, ir.OpRotl, x.Args[0], x.Args[1])
		return ruleOrRotate
	}
	if y.Op == ir.OpShl && x.Op == ir.OpShrU && x.Args[1].Op == ir.OpConst && y.Args[1].Op == ir.OpConst && x.Args[0] == y.Args[0] && y.Args[1].Aux > 0 && x.Args[1].Aux > 0 && y.Args[1].Aux+x.Args[1].Aux == int64(uint64(x.Args[0].Type.Bits())) {
		replace(v, ir.OpRotl, x.Args[0], y.Args[1])
		return ruleOrRotateRight
	}
	if y.Op == ir.OpConst {
		if y.Aux == 0 {
			copyOf(v, x)
			return ruleOrZero
		}
		if y.Aux == -1 {
			constOf(v, -1)
			return ruleOrOnes
		}
		if x.Op == ir.OpOr && x.Args[1].Op == ir.OpConst {
			replace(v, ir.OpOr, x.Args[0], p.constant(v.Type, x.Args[1].Aux|y.Aux))
			return ruleOrConst
		}
	}
	return noRule
}

func (p *simplifier) rewriteXor(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y.Op == ir.OpShrU && x.Op == ir.OpShl && x.Args[1].Op == ir.OpConst && y.Args[1].Op == ir.OpConst && x.Args[0] == y.Args[0] && x.Args[1].Aux > 0 && y.Args[1].Aux > 0 && x.Args[1].Aux+y.Args[1].Aux == int64(uint64(x.Args[0].Type.Bits())) {
		replace(v, ir.OpRotl, x.Args[0], x.Args[1])
		return ruleXorRotate
	}
	if y.Op == ir.OpShl && x.Op == ir.OpShrU && x.Args[1].Op == ir.OpConst && y.Args[1].Op == ir.OpConst && x.Args[0] == y.Args[0] && y.Args[1].Aux > 0 && x.Args[1].Aux > 0 && y.Args[1].Aux+x.Args[1].Aux == int64(uint64(x.Args[0].Type.Bits())) {
		replace(v, ir.OpRotl, x.Args[0], y.Args[1])
		return ruleXorRotateRight
	}
	if y == x {
		constOf(v, 0)
		return ruleXorSame
	}
	if y.Op == ir.OpConst {
		if y.Aux == 0 && (!p.early || !(x.Op == ir.OpPtrToInt)) {
			copyOf(v, x)
			return ruleXorZero
		}
		if y.Aux == -1 {
			replace(v, ir.OpNot, x)
			return ruleXorOnes
		}
		if x.Op == ir.OpXor && x.Args[1].Op == ir.OpConst {
			replace(v, ir.OpXor, x.Args[0], p.constant(v.Type, x.Args[1].Aux^y.Aux))
			return ruleXorConst
		}
		if y.Aux == 1 {
			if x.Op == ir.OpEq {
				replace(v, ir.OpNe, x.Args[0], x.Args[1])
				return ruleXorEq
			}
			if x.Op == ir.OpNe {
				replace(v, ir.OpEq, x.Args[0], x.Args[1])
				return ruleXorNe
			}
			if x.Op == ir.OpFEq {
				replace(v, ir.OpFNe, x.Args[0], x.Args[1])
				return ruleXorFeq
			}
			if x.Op == ir.OpFNe {
				replace(v, ir.OpFEq, x.Args[0], x.Args[1])
				return ruleXorFne
			}
			if x.Op == ir.OpLtS {
				replace(v, ir.OpLeS, x.Args[1], x.Args[0])
				return ruleXorLts
			}
			if x.Op == ir.OpLeS {
				replace(v, ir.OpLtS, x.Args[1], x.Args[0])
				return ruleXorLes
			}
			if x.Op == ir.OpLtU {
				replace(v, ir.OpLeU, x.Args[1], x.Args[0])
				return ruleXorLtu
			}
			if x.Op == ir.OpLeU {
				replace(v, ir.OpLtU, x.Args[1], x.Args[0])
				return ruleXorLeu
			}
		}
	}
	return noRule
}

func (p *simplifier) rewriteAndNot(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y == x {
		constOf(v, 0)
		return ruleAndnotSame
	}
	if y.Op == ir.OpConst {
		replace(v, ir.OpAnd, x, p.constant(v.Type, ^y.Aux))
		return ruleAndnotConst
	}
	if x.Op == ir.OpConst {
		if x.Aux == 0 {
			constOf(v, 0)
			return ruleAndnotFromZero
		}
		if x.Aux == -1 {
			replace(v, ir.OpNot, y)
			return ruleAndnotFromOnes
		}
	}
	return noRule
}

func (p *simplifier) rewriteShl(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if x.Op == ir.OpConst && x.Aux == 0 {
		constOf(v, 0)
		return ruleShlOfZero
	}
	if y.Op == ir.OpConst {
		if y.Aux == 0 {
			copyOf(v, x)
			return ruleShlZero
		}
		if uint64(y.Aux) >= uint64(x.Type.Bits()) {
			constOf(v, 0)
			return ruleShlAll
		}
		if x.Op == ir.OpShl && x.Args[1].Op == ir.OpConst && uint64(x.Args[1].Aux) < uint64(x.Args[0].Type.Bits()) && uint64(y.Aux) < uint64(x.Args[0].Type.Bits()) {
			replace(v, ir.OpShl, x.Args[0], p.constant(ir.I64, x.Args[1].Aux+y.Aux))
			return ruleShlShl
		}
		if x.Op == ir.OpShrU && x.Args[1].Op == ir.OpConst && y.Aux == x.Args[1].Aux && uint64(x.Args[1].Aux) < uint64(x.Args[0].Type.Bits()) {
			replace(v, ir.OpAnd, x.Args[0], p.constant(v.Type, -1<<uint64(x.Args[1].Aux)))
			return ruleShlShru
		}
	}
	return noRule
}

func (p *simplifier) rewriteShrS(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if x.Op == ir.OpConst && x.Aux == 0 {
		constOf(v, 0)
		return ruleShrsOfZero
	}
	if y.Op == ir.OpConst {
		if y.Aux == 0 {
			copyOf(v, x)
			return ruleShrsZero
		}
		if uint64(y.Aux) >= uint64(x.Type.Bits()) {
			replace(v, ir.OpShrS, x, p.constant(ir.I64, int64(uint64(x.Type.Bits())-1)))
			return ruleShrsAll
		}
		if x.Op == ir.OpShrS && x.Args[1].Op == ir.OpConst && uint64(x.Args[1].Aux) < uint64(x.Args[0].Type.Bits()) && uint64(y.Aux) < uint64(x.Args[0].Type.Bits()) {
			replace(v, ir.OpShrS, x.Args[0], p.constant(ir.I64, x.Args[1].Aux+y.Aux))
			return ruleShrsShrs
		}
		if maxUnsigned(x) < 1<<(uint64(x.Type.Bits())-1) {
			replace(v, ir.OpShrU, x, y)
			return ruleShrsPositive
		}
	}
	return noRule
}

func (p *simplifier) rewriteShrU(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if x.Op == ir.OpConst && x.Aux == 0 {
		constOf(v, 0)
		return ruleShruOfZero
	}
	if y.Op == ir.OpConst {
		if y.Aux == 0 {
			copyOf(v, x)
			return ruleShruZero
		}
		if uint64(y.Aux) >= uint64(x.Type.Bits()) {
			constOf(v, 0)
			return ruleShruAll
		}
		if x.Op == ir.OpShrU && x.Args[1].Op == ir.OpConst && uint64(x.Args[1].Aux) < uint64(x.Args[0].Type.Bits()) && uint64(y.Aux) < uint64(x.Args[0].Type.Bits()) {
			replace(v, ir.OpShrU, x.Args[0], p.constant(ir.I64, x.Args[1].Aux+y.Aux))
			return ruleShruShru
		}
		if x.Op == ir.OpShl && x.Args[1].Op == ir.OpConst && y.Aux == x.Args[1].Aux && uint64(x.Args[1].Aux) < uint64(x.Args[0].Type.Bits()) {
			replace(v, ir.OpAnd, x.Args[0], p.constant(v.Type, int64(unsigned(x.Args[0].Type, -1)>>uint64(x.Args[1].Aux))))
			return ruleShruShl
		}
		if x.Op == ir.OpZExt && uint64(y.Aux) >= uint64(x.Args[0].Type.Bits()) {
			constOf(v, 0)
			return ruleShruZext
		}
	}
	return noRule
}

func (p *simplifier) rewriteRotl(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y.Op == ir.OpConst && uint64(y.Aux)%uint64(x.Type.Bits()) == 0 {
		copyOf(v, x)
		return ruleRotlZero
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

func (p *simplifier) rewriteEq(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y == x {
		constOf(v, 1)
		return ruleEqSame
	}
	if y.Op == ir.OpAdd && x.Op == ir.OpAdd && x.Args[1].Op == ir.OpConst && y.Args[1].Op == ir.OpConst && x.Args[0] == y.Args[0] {
		if x.Args[1].Aux == y.Args[1].Aux {
			constOf(v, 1)
			return ruleEqSums
		}
		if x.Args[1].Aux != y.Args[1].Aux {
			constOf(v, 0)
			return ruleEqSumsDiffer
		}
	}
	if x.Op == ir.OpAdd && x.Args[1].Op == ir.OpConst && y == x.Args[0] && x.Args[1].Aux != 0 {
		constOf(v, 0)
		return ruleEqSum
	}
	if y.Op == ir.OpAdd && y.Args[1].Op == ir.OpConst && x == y.Args[0] && y.Args[1].Aux != 0 {
		constOf(v, 0)
		return ruleEqSumRight
	}
	if y.Op == ir.OpConst {
		if y.Aux == 0 && y.Type == ir.Ptr && nonNil(x) {
			constOf(v, 0)
			return ruleEqNonnil
		}
		if y.Type.IsInt() && isBool(x) && y.Aux != 0 && y.Aux != 1 {
			constOf(v, 0)
			return ruleEqBoolNever
		}
		if y.Aux == 1 && y.Type == ir.I8 && isBool(x) {
			copyOf(v, x)
			return ruleEqBoolItself
		}
		if y.Aux == 0 {
			if x.Op == ir.OpEq {
				replace(v, ir.OpNe, x.Args[0], x.Args[1])
				return ruleEqBoolEq
			}
			if x.Op == ir.OpNe {
				replace(v, ir.OpEq, x.Args[0], x.Args[1])
				return ruleEqBoolNe
			}
			if x.Op == ir.OpFEq {
				replace(v, ir.OpFNe, x.Args[0], x.Args[1])
				return ruleEqBoolFeq
			}
			if x.Op == ir.OpFNe {
				replace(v, ir.OpFEq, x.Args[0], x.Args[1])
				return ruleEqBoolFne
			}
			if x.Op == ir.OpLtS {
				replace(v, ir.OpLeS, x.Args[1], x.Args[0])
				return ruleEqBoolLts
			}
			if x.Op == ir.OpLeS {
				replace(v, ir.OpLtS, x.Args[1], x.Args[0])
				return ruleEqBoolLes
			}
			if x.Op == ir.OpLtU {
				replace(v, ir.OpLeU, x.Args[1], x.Args[0])
				return ruleEqBoolLtu
			}
			if x.Op == ir.OpLeU {
				replace(v, ir.OpLtU, x.Args[1], x.Args[0])
				return ruleEqBoolLeu
			}
			if xi := invertedBool(x); xi != nil {
				copyOf(v, xi)
				return ruleEqBoolInverted
			}
		}
		if x.Op == ir.OpAdd && x.Args[1].Op == ir.OpConst {
			replace(v, ir.OpEq, x.Args[0], p.constant(y.Type, y.Aux-x.Args[1].Aux))
			return ruleEqSumConst
		}
		if y.Aux == 0 && x.Op == ir.OpRemS && x.Args[1].Op == ir.OpConst && !p.early && x.Args[1].Aux > 0 && isPowerOf2(unsigned(x.Args[1].Type, x.Args[1].Aux)) {
			replace(v, ir.OpEq, p.make(ir.OpAnd, y.Type, x.Args[0], p.constant(y.Type, x.Args[1].Aux-1)), y)
			return ruleEqRemsPow2
		}
		if x.Op == ir.OpZExt {
			if y.Aux != int64(unsigned(x.Args[0].Type, y.Aux)) {
				constOf(v, 0)
				return ruleEqZextNever
			}
			if y.Aux == int64(unsigned(x.Args[0].Type, y.Aux)) {
				replace(v, ir.OpEq, x.Args[0], p.constant(x.Args[0].Type, y.Aux))
				return ruleEqZext
			}
		}
		if x.Op == ir.OpSExt {
			if y.Aux != ir.TruncConst(x.Args[0].Type, y.Aux) {
				constOf(v, 0)
				return ruleEqSextNever
			}
			if y.Aux == ir.TruncConst(x.Args[0].Type, y.Aux) {
				replace(v, ir.OpEq, x.Args[0], p.constant(x.Args[0].Type, y.Aux))
				return ruleEqSext
			}
		}
		if y.Aux == 0 && x.Op == ir.OpSub {
			replace(v, ir.OpEq, x.Args[0], x.Args[1])
			return ruleEqSub
		}
		if x.Op == ir.OpXor && x.Args[1].Op == ir.OpConst {
			replace(v, ir.OpEq, x.Args[0], p.constant(y.Type, y.Aux^x.Args[1].Aux))
			return ruleEqXor
		}
		if y.Type.IsInt() && unsigned(y.Type, y.Aux) > maxUnsigned(x) {
			constOf(v, 0)
			return ruleEqAbove
		}
	}
	return noRule
}

func (p *simplifier) rewriteNe(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y == x {
		constOf(v, 0)
		return ruleNeSame
	}
	if y.Op == ir.OpAdd && x.Op == ir.OpAdd && x.Args[1].Op == ir.OpConst && y.Args[1].Op == ir.OpConst && x.Args[0] == y.Args[0] {
		if x.Args[1].Aux == y.Args[1].Aux {
			constOf(v, 0)
			return ruleNeSums
		}
		if x.Args[1].Aux != y.Args[1].Aux {
			constOf(v, 1)
			return ruleNeSumsDiffer
		}
	}
	if x.Op == ir.OpAdd && x.Args[1].Op == ir.OpConst && y == x.Args[0] && x.Args[1].Aux != 0 {
		constOf(v, 1)
		return ruleNeSum
	}
	if y.Op == ir.OpAdd && y.Args[1].Op == ir.OpConst && x == y.Args[0] && y.Args[1].Aux != 0 {
		constOf(v, 1)
		return ruleNeSumRight
	}
	if y.Op == ir.OpConst {
		if y.Aux == 0 && y.Type == ir.Ptr && nonNil(x) {
			constOf(v, 1)
			return ruleNeNonnil
		}
		if y.Type.IsInt() && isBool(x) && y.Aux != 0 && y.Aux != 1 {
			constOf(v, 1)
			return ruleNeBoolNever
		}
		if y.Aux == 0 && y.Type == ir.I8 && isBool(x) {
			copyOf(v, x)
			return ruleNeBoolItself
		}
		if y.Aux == 1 {
			if x.Op == ir.OpEq {
				replace(v, ir.OpNe, x.Args[0], x.Args[1])
				return ruleNeBoolEq
			}
			if x.Op == ir.OpNe {
				replace(v, ir.OpEq, x.Args[0], x.Args[1])
				return ruleNeBoolNe
			}
			if x.Op == ir.OpFEq {
				replace(v, ir.OpFNe, x.Args[0], x.Args[1])
				return ruleNeBoolFeq
			}
			if x.Op == ir.OpFNe {
				replace(v, ir.OpFEq, x.Args[0], x.Args[1])
				return ruleNeBoolFne
			}
			if x.Op == ir.OpLtS {
				replace(v, ir.OpLeS, x.Args[1], x.Args[0])
				return ruleNeBoolLts
			}
			if x.Op == ir.OpLeS {
				replace(v, ir.OpLtS, x.Args[1], x.Args[0])
				return ruleNeBoolLes
			}
			if x.Op == ir.OpLtU {
				replace(v, ir.OpLeU, x.Args[1], x.Args[0])
				return ruleNeBoolLtu
			}
			if x.Op == ir.OpLeU {
				replace(v, ir.OpLtU, x.Args[1], x.Args[0])
				return ruleNeBoolLeu
			}
			if xi := invertedBool(x); xi != nil {
				copyOf(v, xi)
				return ruleNeBoolInverted
			}
		}
		if x.Op == ir.OpAdd && x.Args[1].Op == ir.OpConst {
			replace(v, ir.OpNe, x.Args[0], p.constant(y.Type, y.Aux-x.Args[1].Aux))
			return ruleNeSumConst
		}
		if y.Aux == 0 && x.Op == ir.OpRemS && x.Args[1].Op == ir.OpConst && !p.early && x.Args[1].Aux > 0 && isPowerOf2(unsigned(x.Args[1].Type, x.Args[1].Aux)) {
			replace(v, ir.OpNe, p.make(ir.OpAnd, y.Type, x.Args[0], p.constant(y.Type, x.Args[1].Aux-1)), y)
			return ruleNeRemsPow2
		}
		if x.Op == ir.OpZExt {
			if y.Aux != int64(unsigned(x.Args[0].Type, y.Aux)) {
				constOf(v, 1)
				return ruleNeZextNever
			}
			if y.Aux == int64(unsigned(x.Args[0].Type, y.Aux)) {
				replace(v, ir.OpNe, x.Args[0], p.constant(x.Args[0].Type, y.Aux))
				return ruleNeZext
			}
		}
		if x.Op == ir.OpSExt {
			if y.Aux != ir.TruncConst(x.Args[0].Type, y.Aux) {
				constOf(v, 1)
				return ruleNeSextNever
			}
			if y.Aux == ir.TruncConst(x.Args[0].Type, y.Aux) {
				replace(v, ir.OpNe, x.Args[0], p.constant(x.Args[0].Type, y.Aux))
				return ruleNeSext
			}
		}
		if y.Aux == 0 && x.Op == ir.OpSub {
			replace(v, ir.OpNe, x.Args[0], x.Args[1])
			return ruleNeSub
		}
		if x.Op == ir.OpXor && x.Args[1].Op == ir.OpConst {
			replace(v, ir.OpNe, x.Args[0], p.constant(y.Type, y.Aux^x.Args[1].Aux))
			return ruleNeXor
		}
		if y.Type.IsInt() && unsigned(y.Type, y.Aux) > maxUnsigned(x) {
			constOf(v, 1)
			return ruleNeAbove
		}
	}
	return noRule
}

func (p *simplifier) rewriteLtS(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y == x {
		constOf(v, 0)
		return ruleLtsSame
	}
	if maxSigned(x) < minSigned(y) {
		constOf(v, 1)
		return ruleLtsAlways
	}
	if minSigned(x) >= maxSigned(y) {
		constOf(v, 0)
		return ruleLtsNever
	}
	return noRule
}

func (p *simplifier) rewriteLeS(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y == x {
		constOf(v, 1)
		return ruleLesSame
	}
	if maxSigned(x) <= minSigned(y) {
		constOf(v, 1)
		return ruleLesAlways
	}
	if minSigned(x) > maxSigned(y) {
		constOf(v, 0)
		return ruleLesNever
	}
	return noRule
}

func (p *simplifier) rewriteLtU(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y == x {
		constOf(v, 0)
		return ruleLtuSame
	}
	if y.Op == ir.OpConst {
		if y.Aux == 0 {
			constOf(v, 0)
			return ruleLtuZero
		}
		if y.Aux == 1 && y.Type.IsInt() {
			replace(v, ir.OpEq, x, p.constant(y.Type, 0))
			return ruleLtuOne
		}
		if maxUnsigned(x) < unsigned(y.Type, y.Aux) {
			constOf(v, 1)
			return ruleLtuAbove
		}
	}
	if x.Op == ir.OpConst {
		if x.Aux == 0 && y.Type.IsInt() {
			replace(v, ir.OpNe, y, x)
			return ruleLtuFromZero
		}
		if unsigned(x.Type, x.Aux) >= maxUnsigned(y) {
			constOf(v, 0)
			return ruleLtuFromAbove
		}
	}
	return noRule
}

func (p *simplifier) rewriteLeU(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y == x {
		constOf(v, 1)
		return ruleLeuSame
	}
	if x.Op == ir.OpConst && x.Aux == 0 {
		constOf(v, 1)
		return ruleLeuFromZero
	}
	if y.Op == ir.OpConst {
		if unsigned(y.Type, y.Aux) >= maxUnsigned(x) {
			constOf(v, 1)
			return ruleLeuAbove
		}
		if y.Aux == 0 && y.Type.IsInt() {
			replace(v, ir.OpEq, x, y)
			return ruleLeuZero
		}
	}
	if x.Op == ir.OpConst && unsigned(x.Type, x.Aux) > maxUnsigned(y) {
		constOf(v, 0)
		return ruleLeuFromAbove
	}
	return noRule
}

func (p *simplifier) rewriteSelect(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	z := v.Args[2]
	if x.Op == ir.OpConst {
		if x.Aux == 1 {
			copyOf(v, y)
			return ruleSelectOne
		}
		if x.Aux != 1 {
			copyOf(v, z)
			return ruleSelectOther
		}
	}
	if z == y {
		copyOf(v, z)
		return ruleSelectSame
	}
	if z.Op == ir.OpConst {
		if y.Op == ir.OpConst && y.Aux == z.Aux {
			constOf(v, y.Aux)
			return ruleSelectEqual
		}
		if z.Aux == 0 && y.Op == ir.OpConst && y.Aux == 1 && v.Type == ir.I8 {
			copyOf(v, x)
			return ruleSelectBool
		}
		if z.Aux == 1 && y.Op == ir.OpConst && y.Aux == 0 && v.Type == ir.I8 {
			replace(v, ir.OpXor, x, p.constant(ir.I8, 1))
			return ruleSelectNot
		}
	}
	if xi := invertedBool(x); xi != nil {
		replace(v, ir.OpSelect, xi, z, y)
		return ruleSelectInverted
	}
	return noRule
}

func (p *simplifier) rewriteSExt(v *ir.Value) rule {
	x := v.Args[0]
	if x.Op == ir.OpSExt {
		replace(v, ir.OpSExt, x.Args[0])
		return ruleSextSext
	}
	if x.Op == ir.OpZExt {
		replace(v, ir.OpZExt, x)
		return ruleSextZext
	}
	if maxUnsigned(x) < 1<<(uint64(x.Type.Bits())-1) {
		replace(v, ir.OpZExt, x)
		return ruleSextPositive
	}
	return noRule
}

func (p *simplifier) rewriteZExt(v *ir.Value) rule {
	x := v.Args[0]
	if x.Op == ir.OpZExt {
		replace(v, ir.OpZExt, x.Args[0])
		return ruleZextZext
	}
	if x.Op == ir.OpTrunc && x.Args[0].Type == v.Type {
		replace(v, ir.OpAnd, x.Args[0], p.constant(v.Type, int64(unsigned(x.Type, -1))))
		return ruleZextTrunc
	}
	return noRule
}

func (p *simplifier) rewriteTrunc(v *ir.Value) rule {
	x := v.Args[0]
	if x.Op == ir.OpTrunc {
		replace(v, ir.OpTrunc, x.Args[0])
		return ruleTruncTrunc
	}
	if x.Op == ir.OpSExt {
		if x.Args[0].Type == v.Type {
			copyOf(v, x.Args[0])
			return ruleTruncSextSame
		}
		if uint64(x.Args[0].Type.Bits()) > uint64(v.Type.Bits()) {
			replace(v, ir.OpTrunc, x.Args[0])
			return ruleTruncSextDown
		}
		if uint64(x.Args[0].Type.Bits()) < uint64(v.Type.Bits()) {
			replace(v, ir.OpSExt, x.Args[0])
			return ruleTruncSextUp
		}
	}
	if x.Op == ir.OpZExt {
		if x.Args[0].Type == v.Type {
			copyOf(v, x.Args[0])
			return ruleTruncZextSame
		}
		if uint64(x.Args[0].Type.Bits()) > uint64(v.Type.Bits()) {
			replace(v, ir.OpTrunc, x.Args[0])
			return ruleTruncZextDown
		}
		if uint64(x.Args[0].Type.Bits()) < uint64(v.Type.Bits()) {
			replace(v, ir.OpZExt, x.Args[0])
			return ruleTruncZextUp
		}
	}
	if x.Op == ir.OpAnd && x.Args[1].Op == ir.OpConst && ir.TruncConst(v.Type, x.Args[1].Aux) == -1 {
		replace(v, ir.OpTrunc, x.Args[0])
		return ruleTruncAnd
	}
	return noRule
}

func (p *simplifier) rewritePtrToInt(v *ir.Value) rule {
	x := v.Args[0]
	if x.Op == ir.OpIntToPtr && maxUnsigned(x.Args[0]) <= unsigned(x.Type, -1) {
		copyOf(v, x.Args[0])
		return rulePtrtointSame
	}
	return noRule
}

func (p *simplifier) rewriteIntToPtr(v *ir.Value) rule {
	x := v.Args[0]
	if x.Op == ir.OpPtrToInt {
		copyOf(v, x.Args[0])
		return ruleInttoptrSame
	}
	if x.Op == ir.OpAdd && x.Args[0].Op == ir.OpPtrToInt && !(x.Args[1].Op == ir.OpPtrToInt) {
		replace(v, ir.OpPtrAdd, x.Args[0].Args[0], x.Args[1])
		return ruleInttoptrAdd
	}
	if x.Op == ir.OpSub && x.Args[0].Op == ir.OpPtrToInt && !(x.Args[1].Op == ir.OpPtrToInt) {
		replace(v, ir.OpPtrAdd, x.Args[0].Args[0], p.make(ir.OpNeg, ir.I64, x.Args[1]))
		return ruleInttoptrSub
	}
	if x.Op == ir.OpAdd {
		if x.Args[1].Op == ir.OpPtrToInt && !(x.Args[0].Op == ir.OpPtrToInt) {
			replace(v, ir.OpPtrAdd, x.Args[1].Args[0], x.Args[0])
			return ruleInttoptrAddRight
		}
		if x.Args[0].Op == ir.OpAdd && x.Args[0].Args[0].Op == ir.OpPtrToInt && !(x.Args[0].Args[1].Op == ir.OpPtrToInt) {
			replace(v, ir.OpPtrAdd, x.Args[0].Args[0].Args[0], p.make(ir.OpAdd, ir.I64, x.Args[0].Args[1], x.Args[1]))
			return ruleInttoptrAddAdd
		}
		if x.Args[0].Op == ir.OpSub && x.Args[0].Args[0].Op == ir.OpPtrToInt && !(x.Args[0].Args[1].Op == ir.OpPtrToInt) {
			replace(v, ir.OpPtrAdd, x.Args[0].Args[0].Args[0], p.make(ir.OpAdd, ir.I64, p.make(ir.OpNeg, ir.I64, x.Args[0].Args[1]), x.Args[1]))
			return ruleInttoptrSubAdd
		}
	}
	return noRule
}

func (p *simplifier) rewriteFDiv(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y.Op == ir.OpConst {
		if v.Type == ir.F64 && invertible(y.Type, y.Aux) {
			replace(v, ir.OpFMul, x, p.constant(ir.F64, inverse(y.Type, y.Aux)))
			return ruleFdivPow2F64
		}
		if v.Type == ir.F32 && invertible(y.Type, y.Aux) {
			replace(v, ir.OpFMul, x, p.constant(ir.F32, inverse(y.Type, y.Aux)))
			return ruleFdivPow2F32
		}
	}
	return noRule
}

func (p *simplifier) rewriteFNeg(v *ir.Value) rule {
	x := v.Args[0]
	if x.Op == ir.OpFNeg {
		copyOf(v, x.Args[0])
		return ruleFnegFneg
	}
	return noRule
}

func (p *simplifier) rewriteFAbs(v *ir.Value) rule {
	x := v.Args[0]
	if x.Op == ir.OpFAbs {
		copyOf(v, x)
		return ruleFabsFabs
	}
	return noRule
}

func (p *simplifier) rewritePtrAdd(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y.Op == ir.OpConst {
		if y.Aux == 0 {
			copyOf(v, x)
			return rulePtraddZero
		}
		if x.Op == ir.OpPtrAdd && x.Args[1].Op == ir.OpConst {
			replace(v, ir.OpPtrAdd, x.Args[0], p.constant(ir.I64, y.Aux+x.Args[1].Aux))
			return rulePtraddConst
		}
	}
	return noRule
}

func (p *simplifier) rewritePtrIdx(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y.Op == ir.OpConst {
		replace(v, ir.OpPtrAdd, x, p.constant(ir.I64, y.Aux*v.Aux+v.Aux2))
		return rulePtridxConst
	}
	if v.Aux == 0 {
		replace(v, ir.OpPtrAdd, x, p.constant(ir.I64, v.Aux2))
		return rulePtridxNoScale
	}
	return noRule
}

func (p *simplifier) rewriteLoad(v *ir.Value) rule {
	x := v.Args[0]
	if x.Op == ir.OpPtrAdd && x.Args[1].Op == ir.OpConst && x.Args[1].Aux >= 0 && v.Aux+x.Args[1].Aux >= 0 && v.Aux+x.Args[1].Aux <= maxFoldedOffset {
		replaceAux(v, ir.OpLoad, v.Aux+x.Args[1].Aux, 0, x.Args[0])
		return ruleLoadOffset
	}
	if x.Op == ir.OpConst && v.Aux != 0 && x.Aux != 0 && x.Aux+v.Aux < 1<<31 {
		replaceAux(v, ir.OpLoad, 0, 0, p.constant(ir.Ptr, x.Aux+v.Aux))
		return ruleLoadData
	}
	return noRule
}

func (p *simplifier) rewriteStore(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if x.Op == ir.OpPtrAdd && x.Args[1].Op == ir.OpConst && x.Args[1].Aux >= 0 && v.Aux+x.Args[1].Aux >= 0 && v.Aux+x.Args[1].Aux <= maxFoldedOffset {
		replaceAux(v, ir.OpStore, v.Aux+x.Args[1].Aux, 0, x.Args[0], y)
		return ruleStoreOffset
	}
	if x.Op == ir.OpConst && v.Aux != 0 && x.Aux != 0 && x.Aux+v.Aux < 1<<31 {
		replaceAux(v, ir.OpStore, 0, 0, p.constant(ir.Ptr, x.Aux+v.Aux), y)
		return ruleStoreData
	}
	return noRule
}

func (p *simplifier) rewriteMove(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if v.Aux == 0 {
		p.remove(v)
		return ruleMoveNone
	}
	if y == x {
		p.remove(v)
		return ruleMoveSame
	}
	return noRule
}

func (p *simplifier) rewriteClear(v *ir.Value) rule {
	if v.Aux == 0 {
		p.remove(v)
		return ruleClearNone
	}
	return noRule
}

func (p *simplifier) rewriteMoveN(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	z := v.Args[2]
	if y == x {
		p.remove(v)
		return ruleMovenSame
	}
	if z.Op == ir.OpConst && z.Aux >= 0 && z.Aux <= ir.MaxObject {
		replaceAux(v, ir.OpMove, z.Aux, v.Aux2, x, y)
		return ruleMovenConst
	}
	return noRule
}

func (p *simplifier) rewriteClearN(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y.Op == ir.OpConst && y.Aux >= 0 && y.Aux <= ir.MaxObject {
		replaceAux(v, ir.OpClear, y.Aux, 0, x)
		return ruleClearnConst
	}
	return noRule
}

func (p *simplifier) rewriteMemEq(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	z := v.Args[2]
	if y == x {
		constOf(v, 1)
		return ruleMemeqSame
	}
	if z.Op == ir.OpConst {
		if z.Aux == 0 {
			constOf(v, 1)
			return ruleMemeqNone
		}
		if z.Aux == 1 {
			replace(v, ir.OpEq, p.make(ir.OpLoad, ir.I8, x), p.make(ir.OpLoad, ir.I8, y))
			return ruleMemeq1
		}
		if z.Aux == 2 {
			replace(v, ir.OpEq, p.make(ir.OpLoad, ir.I16, x), p.make(ir.OpLoad, ir.I16, y))
			return ruleMemeq2
		}
		if z.Aux == 4 {
			replace(v, ir.OpEq, p.make(ir.OpLoad, ir.I32, x), p.make(ir.OpLoad, ir.I32, y))
			return ruleMemeq4
		}
		if z.Aux == 8 {
			replace(v, ir.OpEq, p.make(ir.OpLoad, ir.I64, x), p.make(ir.OpLoad, ir.I64, y))
			return ruleMemeq8
		}
	}
	return noRule
}

func (p *simplifier) rewriteMemCmp(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	z := v.Args[2]
	w := v.Args[3]
	if w == y && z == x {
		constOf(v, 0)
		return ruleMemcmpSame
	}
	return noRule
}

func (p *simplifier) rewriteIndexByte(v *ir.Value) rule {
	y := v.Args[1]
	if y.Op == ir.OpConst && y.Aux == 0 {
		constOf(v, -1)
		return ruleIndexbyteNone
	}
	return noRule
}

func (p *simplifier) rewriteNilCheck(v *ir.Value) rule {
	x := v.Args[0]
	if nonNil(x) {
		p.remove(v)
		return ruleNilcheckPasses
	}
	return noRule
}

func (p *simplifier) rewriteBounds(v *ir.Value) rule {
	x := v.Args[0]
	y := v.Args[1]
	if y.Op == ir.OpConst && maxUnsigned(x) < uint64(y.Aux) {
		p.remove(v)
		return ruleBoundsPasses
	}
	return noRule
}

func (p *simplifier) rewriteCheck(v *ir.Value) rule {
	x := v.Args[0]
	if x.Op == ir.OpConst && x.Aux == 1 {
		p.remove(v)
		return ruleCheckPasses
	}
	return noRule
}

func (p *simplifier) rewriteGas(v *ir.Value) rule {
	if v.Aux == 0 && v.Aux2 == 1 {
		p.remove(v)
		return ruleGasNone
	}
	return noRule
}

func (p *simplifier) rewriteGasN(v *ir.Value) rule {
	x := v.Args[0]
	if x.Op == ir.OpConst && x.Aux >= 0 && x.Aux <= 1<<40 {
		replaceAux(v, ir.OpGas, x.Aux, 0)
		return ruleGasnConst
	}
	return noRule
}

// invertedBool returns x when v is the inversion of a condition x, else nil.
func invertedBool(v *ir.Value) *ir.Value {
	switch v.Op {

	case ir.OpXor:
		x := v.Args[0]
		y := v.Args[1]
		if y.Op == ir.OpConst && y.Aux == 1 && v.Type == ir.I8 && isBool(x) {
			return x
		}

	case ir.OpEq:
		x := v.Args[0]
		y := v.Args[1]
		if y.Op == ir.OpConst && y.Aux == 0 && y.Type == ir.I8 && isBool(x) {
			return x
		}

	case ir.OpNe:
		x := v.Args[0]
		y := v.Args[1]
		if y.Op == ir.OpConst && y.Aux == 1 && y.Type == ir.I8 && isBool(x) {
			return x
		}
	}
	return nil
}
