package layout

import (
	"go/types"

	"github.com/gyrvm/gyr/internal/ir"
)

// A Field is one scalar of a type: where it stands and what it is.
type Field struct {
	Type ir.Type
	Off  int64
}

// maxFlat bounds the lists that Flatten makes.
const maxFlat = 1 << 20

// Flatten returns the scalars of t in memory order. A string is a Ptr and an I64,
// a slice a Ptr and two I64, an interface two Ptr, a complex number two floats;
// functions, maps, channels and pointers are one Ptr. Padding is absent, blank
// fields are not: a copy of the scalars is a copy of the value. The caller must
// not change the slice. Types of more than 1<<20 scalars are an error; use FlattenN where that may be.
func (b *Builder) Flatten(t types.Type) []Field {
	f, ok := b.FlattenN(t, maxFlat)
	if !ok {
		b.fail("too many scalars in %v", t)
	}
	return f
}

// FlattenN is Flatten for types of at most max scalars; for others it returns
// false without listing them.
func (b *Builder) FlattenN(t types.Type, max int) ([]Field, bool) {
	i := b.info(t)
	if i.scalars > int64(max) {
		return nil, false
	}
	if i.flat == nil && i.scalars > 0 {
		if b.spend(16 * i.scalars); b.err != nil {
			return nil, false
		}
		i.flat = b.flatten(make([]Field, 0, i.scalars), t, 0)
	}
	return i.flat, true
}

// NumScalars is the number of scalars of t, or 1<<31-1 if it is larger.
func (b *Builder) NumScalars(t types.Type) int64 { return b.info(t).scalars }

func (b *Builder) flatten(list []Field, t types.Type, off int64) []Field {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch st := BasicType(u); {
		case u.Info()&types.IsString != 0:
			return append(list, Field{ir.Ptr, off}, Field{ir.I64, off + 8})
		case u.Info()&types.IsComplex != 0:
			return append(list, Field{st, off}, Field{st, off + st.Size()})
		default:
			return append(list, Field{st, off})
		}
	case *types.Slice:
		return append(list, Field{ir.Ptr, off}, Field{ir.I64, off + 8}, Field{ir.I64, off + 16})
	case *types.Interface:
		return append(list, Field{ir.Ptr, off}, Field{ir.Ptr, off + 8})
	case *types.Array:
		if b.info(u).scalars == 0 {
			return list
		}
		size := b.info(u.Elem()).size
		for i := int64(0); i < u.Len(); i++ {
			list = b.flatten(list, u.Elem(), off+i*size)
		}
		return list
	case *types.Struct:
		for i, o := range b.info(u).offsets {
			if ft := u.Field(i).Type(); b.info(ft).scalars > 0 {
				list = b.flatten(list, ft, off+o)
			}
		}
		return list
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		return append(list, Field{ir.Ptr, off})
	}
	return list // info has complained
}

// BasicType is the machine type of a basic type: of a complex type that of its
// parts, of a string that of its first word.
func BasicType(t *types.Basic) ir.Type {
	switch t.Kind() {
	case types.Bool, types.Int8, types.Uint8, types.UntypedBool:
		return ir.I8
	case types.Int16, types.Uint16:
		return ir.I16
	case types.Int32, types.Uint32, types.UntypedRune:
		return ir.I32
	case types.Float32, types.Complex64:
		return ir.F32
	case types.Float64, types.UntypedFloat, types.Complex128, types.UntypedComplex:
		return ir.F64
	case types.String, types.UntypedString, types.UnsafePointer, types.UntypedNil:
		return ir.Ptr
	}
	return ir.I64
}
