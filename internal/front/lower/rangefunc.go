package lower

import (
	"go/constant"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// In a range over a function go/ssa keeps the state of the loop in a variable: 0 when the body
// may be called, -1 while it runs or has panicked, -2 when the iterator has returned, more than 0 when
// the body has left the loop. When the iterator does not keep to the protocol it panics with a
// string of its own, where gc throws a runtime error that tells the state.

// rangeMissing stands for a state that go/ssa tells by the place: the iterator recovered a panic of
// the body and returned.
const rangeMissing = -3

// rangeState returns the state of a loop that a panic of go/ssa's own is about, or nil.
func (c *fn) rangeState(in *ssa.Panic) *ir.Value {
	x, ok := in.X.(*ssa.MakeInterface)
	if !ok || in.Pos().IsValid() {
		return nil
	}
	text, ok := x.X.(*ssa.Const)
	if !ok || text.Value == nil || text.Value.Kind() != constant.String {
		return nil
	}
	switch constant.StringVal(text.Value) {
	case "iterator call did not preserve panic":
		return c.i64(rangeMissing)
	case "yield function called after range loop exit":
		preds := in.Block().Preds
		if len(preds) != 1 {
			return nil
		}
		instrs := preds[0].Instrs
		branch, ok := instrs[len(instrs)-1].(*ssa.If)
		if !ok {
			return nil
		}
		if cond, ok := branch.Cond.(*ssa.BinOp); ok {
			return c.one(cond.X)
		}
	}
	return nil
}
