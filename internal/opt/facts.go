package opt

import (
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt/facts"
)

// What an operation alone says about its result: package facts, applied to operands of which
// only constants are known. A bound and a mask of possible ones must not be taken for one
// another: x % 3 is at most 2, and may be 1 all the same.

// width is that of an integer type.
func width(t ir.Type) facts.Width { return facts.Width(t.Bits()) }

// describe is what v's operation and its constant operands say of v.
func describe(v *ir.Value) facts.Value {
	if !v.Type.IsInt() {
		return facts.Unsigned(64, 0, unsigned(v.Type, -1))
	}
	w := width(v.Type)
	if v.Op == ir.OpConst {
		return facts.Const(w, v.Aux)
	}
	if !facts.Has(v.Op) {
		return facts.Top(w)
	}
	from := w
	var a, b facts.Value
	if len(v.Args) > 0 && v.Args[0].Type.IsInt() {
		from = width(v.Args[0].Type)
		a = constOrTop(v.Args[0])
	}
	if len(v.Args) > 1 && v.Args[1].Type.IsInt() {
		b = constOrTop(v.Args[1])
	}
	return facts.Apply(v.Op, w, from, a, b)
}

func constOrTop(v *ir.Value) facts.Value {
	if v.Op == ir.OpConst {
		return facts.Const(width(v.Type), v.Aux)
	}
	return facts.Top(width(v.Type))
}

// maxUnsigned is an upper bound of v as an unsigned number of its width.
func maxUnsigned(v *ir.Value) uint64 { return describe(v).UHi }

// possibleOnes is a mask of the bits of v, zero-extended, that may be one.
func possibleOnes(v *ir.Value) uint64 { return describe(v).PossibleOnes(width(v.Type)) }

// smallRange is the range of v as a signed number.
func smallRange(v *ir.Value) (lo, hi int64) {
	x := describe(v)
	return x.Lo, x.Hi
}
