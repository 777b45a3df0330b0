package facts

import "github.com/gyrvm/gyr/internal/ir"

// WidthOf is the width of an integer type.
func WidthOf(t ir.Type) Width { return Width(t.Bits()) }

// Of is what v's operation says of v, if of its operands only constants are known. Of a pointer or a float it is
// what 64 bits with it hold.
func Of(v *ir.Value) Value {
	switch v.Type {
	case ir.F64:
		return Top(64)
	case ir.F32, ir.Ptr:
		return Unsigned(64, 0, 1<<32-1)
	}
	w := WidthOf(v.Type)
	if v.Op == ir.OpConst {
		return Const(w, v.Aux)
	}
	if !Has(v.Op) {
		return Top(w)
	}
	from := w
	var a, b Value
	if len(v.Args) > 0 && v.Args[0].Type.IsInt() {
		from = WidthOf(v.Args[0].Type)
		a = constOrTop(v.Args[0])
	}
	if len(v.Args) > 1 && v.Args[1].Type.IsInt() {
		b = constOrTop(v.Args[1])
	}
	return Apply(v.Op, w, from, a, b)
}

func constOrTop(v *ir.Value) Value {
	if v.Op == ir.OpConst {
		return Const(WidthOf(v.Type), v.Aux)
	}
	return Top(WidthOf(v.Type))
}
