package opt

import (
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt/facts"
)

// What an operation alone says about its result: package facts, applied to operands where only
// constants are known. A bound must not be mistaken for a mask of possible ones: x % 3 is at most
// 2, and may still be 1.

// width is that of an integer type.
func width(t ir.Type) facts.Width { return facts.WidthOf(t) }

// describe returns what v's operation and its constant operands say about v.
func describe(v *ir.Value) facts.Value { return facts.Of(v) }

// maxUnsigned is an upper bound of v as an unsigned number of its width.
func maxUnsigned(v *ir.Value) uint64 { return describe(v).UHi }

// possibleOnes is a mask of the bits of v, zero-extended, that may be one.
func possibleOnes(v *ir.Value) uint64 { return describe(v).PossibleOnes(width(v.Type)) }

// smallRange is the range of v as a signed number.
func smallRange(v *ir.Value) (lo, hi int64) {
	x := describe(v)
	return x.Lo, x.Hi
}
