package facts

import "github.com/gyrvm/gyr/internal/ir"

// WidthOf is the width of an integer type.
func WidthOf(t ir.Type) Width { return Width(t.Bits()) }

// Of describes v by its operation alone, with the constants among its operands. A pointer or a
// float counts as the 64 bits that hold it.
func Of(v *ir.Value) Value {
	if !v.Type.IsInt() || !Has(v.Op) {
		return constOrTop(v)
	}
	w := WidthOf(v.Type)
	from, operands := w, [2]Value{Top(64), Top(64)}
	for i, arg := range v.Args[:min(len(v.Args), len(operands))] {
		operands[i] = constOrTop(arg)
	}
	if v.Op == ir.OpZExt { // of a masked byte, as in x >> (n & 63)
		operands[0] = Of(v.Args[0])
	}
	if len(v.Args) > 0 && v.Args[0].Type.IsInt() {
		from = WidthOf(v.Args[0].Type)
	}
	return Apply(v.Op, w, from, operands[0], operands[1])
}

// constOrTop describes v by its type, and exactly if it is a constant integer.
func constOrTop(v *ir.Value) Value {
	switch {
	case v.Type == ir.F32 || v.Type == ir.Ptr:
		return Unsigned(64, 0, 1<<32-1)
	case !v.Type.IsInt():
		return Top(64)
	case v.Op == ir.OpConst:
		return Const(WidthOf(v.Type), v.Aux)
	}
	return Top(WidthOf(v.Type))
}

// Most bounds a count as an unsigned number. It looks through a few sums, which mergeGas makes.
func Most(v *ir.Value) uint64 { return most(v, 4) }

func most(v *ir.Value, depth int) uint64 {
	if v.Op != ir.OpAdd || v.Type != ir.I64 || depth == 0 {
		return Of(v).UHi
	}
	x, y := most(v.Args[0], depth-1), most(v.Args[1], depth-1)
	if x > 1<<62 || y > 1<<62 {
		return 1<<64 - 1
	}
	return x + y
}
