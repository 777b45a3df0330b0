package lower

import (
	"go/types"

	"github.com/gyrvm/gyr/internal/ir"
)

// convert lowers a conversion between types of different representation.
func (c *fn) convert(from, to types.Type, v val) val {
	fu, tu := from.Underlying(), to.Underlying()
	if tp, ok := fu.(*types.TypeParam); ok {
		fu = tp.Underlying()
	}
	fb, _ := fu.(*types.Basic)
	tb, _ := tu.(*types.Basic)
	switch {
	case tb != nil && tb.Info()&types.IsString != 0:
		if s, ok := fu.(*types.Slice); ok {
			if c.l.lay.Sizeof(s.Elem()) == 1 {
				return c.rt("slicebytetostring", v[0], v[1])
			}
			return c.rt("slicerunetostring", v...)
		}
		if fb.Info()&types.IsInteger != 0 {
			x := v[0]
			if fb.Info()&types.IsUnsigned != 0 && x.Type == ir.I64 {
				// Beyond the range of int64 the rune is invalid either way.
				return c.rt("intstring", x)
			}
			return c.rt("intstring", c.extend(x, from, ir.I64))
		}
		return v
	case fb != nil && fb.Info()&types.IsString != 0:
		if s, ok := tu.(*types.Slice); ok {
			if c.l.lay.Sizeof(s.Elem()) == 1 {
				return c.rt("stringtoslicebyte", v...)
			}
			return c.rt("stringtoslicerune", v...)
		}
		return v
	case tb != nil && fb != nil && tb.Info()&types.IsNumeric != 0 && fb.Info()&types.IsNumeric != 0:
		if tb.Info()&types.IsComplex != 0 {
			ft := ir.F64
			if tb.Kind() == types.Complex64 {
				ft = ir.F32
			}
			return val{c.floatTo(ft, v[0]), c.floatTo(ft, v[1])}
		}
		return val{c.numeric(fb, tb, v[0])}
	case tb != nil && tb.Kind() == types.UnsafePointer:
		if fb != nil && fb.Kind() == types.Uintptr {
			return val{c.op(ir.OpIntToPtr, ir.Ptr, v[0])}
		}
		return v
	case tb != nil && tb.Kind() == types.Uintptr && fb != nil && fb.Kind() == types.UnsafePointer:
		return val{c.op(ir.OpPtrToInt, ir.I64, v[0])}
	}
	return v
}

func (b *builder) floatTo(t ir.Type, x *ir.Value) *ir.Value {
	if x.Type == t {
		return x
	}
	return b.op(ir.OpFCvt, t, x)
}

// floatToInt converts a float to an integer as gc does for amd64: by an instruction with a result
// of 64 bits for uint32, and of 32 bits for int32 and smaller types. A float outside these 32 or 64
// bits becomes their least number.
func (b *builder) floatToInt(t ir.Type, unsigned bool, x *ir.Value) *ir.Value {
	switch {
	case t == ir.I64 && unsigned:
		return b.op(ir.OpFToU, ir.I64, x)
	case t == ir.I64, t == ir.I32 && !unsigned:
		return b.op(ir.OpFToI, t, x)
	case t == ir.I32:
		return b.op(ir.OpTrunc, t, b.op(ir.OpFToI, ir.I64, x))
	}
	return b.op(ir.OpTrunc, t, b.op(ir.OpFToI, ir.I32, x))
}

func (b *builder) numeric(from, to *types.Basic, x *ir.Value) *ir.Value {
	mt := basicType(to)
	ff, tf := from.Info()&types.IsFloat != 0, to.Info()&types.IsFloat != 0
	switch {
	case ff && tf:
		return b.floatTo(mt, x)
	case ff:
		return b.floatToInt(mt, to.Info()&types.IsUnsigned != 0, x)
	case tf:
		unsigned := from.Info()&types.IsUnsigned != 0
		if unsigned && x.Type == ir.I64 {
			return b.op(ir.OpUToF, mt, x)
		}
		return b.op(ir.OpIToF, mt, b.extend(x, from, ir.I64))
	}
	switch {
	case mt.Size() < x.Type.Size():
		if x.Op == ir.OpConst {
			return b.iconst(mt, x.Aux)
		}
		return b.op(ir.OpTrunc, mt, x)
	case mt.Size() > x.Type.Size():
		return b.extend(x, from, mt)
	}
	return x
}
