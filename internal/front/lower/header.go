package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// The field Data of a reflect.SliceHeader or StringHeader is a uintptr. Programs that lay such a
// header over a slice or a string read and write its pointer through this field, and escape
// analysis must see that. So the field is accessed in two halves: the low one as a pointer, since
// addresses have 32 bits, and the high one as a number, for programs that use the field as a
// number.

const highHalf = 4 // offset of the high half

// isHeaderData reports whether an address is that of the field Data of a header.
func (c *fn) isHeaderData(addr ssa.Value) bool {
	field, ok := addr.(*ssa.FieldAddr)
	if !ok || field.Field != 0 {
		return false
	}
	p, ok := field.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Name() != "SliceHeader" && n.Obj().Name() != "StringHeader" {
		return false
	}
	return c.l.prog.StdPath(n.Obj().Pkg()) == "reflect"
}

// loadHeaderData loads the field at p.
func (c *fn) loadHeaderData(p *ir.Value) *ir.Value {
	low := c.op(ir.OpPtrToInt, ir.I64, c.load(ir.Ptr, p, 0))
	high := c.op(ir.OpZExt, ir.I64, c.load(ir.I32, p, highHalf))
	return c.op(ir.OpOr, ir.I64, c.op(ir.OpShl, ir.I64, high, c.i64(32)), low)
}

// storeHeaderData stores v into the field at p.
func (c *fn) storeHeaderData(p, v *ir.Value) {
	c.store(p, c.op(ir.OpIntToPtr, ir.Ptr, v), 0)
	c.store(p, c.op(ir.OpTrunc, ir.I32, c.op(ir.OpShrU, ir.I64, v, c.i64(32))), highHalf)
}
