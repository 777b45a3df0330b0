package lower

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// In a range over a function go/ssa keeps the state of the loop in a variable: 0 when the body
// may be called, -1 while it runs or has panicked, -2 when the iterator has returned, more than 0 when
// the body has left the loop. gc has the same states, and calls its runtime with that of a loop whose iterator does not keep to the
// protocol. go/ssa panics with strings of its own, and differs in two things, which lowering puts right:
//
//   - A call that finds the loop in the wrong state is a panic of the body too: the state has to become -1, so that an iterator that
//     recovers it and returns is found out.
//   - When the iterator has returned the state is -2 even if the body has left the loop, for calls of a body that somebody
//     kept. go/ssa leaves the number of the way out there.

const (
	rangePanicked  = -1
	rangeExhausted = -2
	// rangeMissing stands for a state that go/ssa tells by the place: the iterator recovered a panic of
	// the body and returned.
	rangeMissing = -3
)

// rangePanic ends an iteration at a panic of go/ssa's own that is about the state of a loop, and reports whether in is one.
func (c *fn) rangePanic(in *ssa.Panic) bool {
	switch rangeText(in) {
	case "iterator call did not preserve panic":
		c.rt("panicrangestate", c.i64(rangeMissing))
		return true
	case "yield function called after range loop exit":
		if _, state, _ := stateTest(in.Block()); state != nil {
			old := c.one(state)
			c.setRangeState(state, rangePanicked)
			c.rt("panicrangestate", old)
			return true
		}
	}
	return false
}

// rangeLeft stores the state of a loop whose iterator has returned at the start of the block where go/ssa looks for the way out that
// the body took, if b is one. (Where it took none, go/ssa stores the state itself.)
func (c *fn) rangeLeft(b *ssa.BasicBlock) {
	ready, state, value := stateTest(b)
	if state == nil || value != 0 || b != ready.Succs[1] {
		return
	}
	test, again, value := stateTest(ready)
	if again != state || value != rangePanicked || ready != test.Succs[1] {
		return
	}
	busy := test.Succs[0].Instrs
	if p, ok := busy[len(busy)-1].(*ssa.Panic); ok && rangeText(p) == "iterator call did not preserve panic" {
		c.setRangeState(state, rangeExhausted)
	}
}

// setRangeState stores to the variable that a state was loaded from.
func (c *fn) setRangeState(state *ssa.UnOp, to int64) {
	c.storeVal(state.Type(), c.one(state.X), 0, val{c.i64(to)})
}

// rangeText returns the string that a panic without a position is about, "" if there is none.
func rangeText(in *ssa.Panic) string {
	x, ok := in.X.(*ssa.MakeInterface)
	if !ok || in.Pos().IsValid() {
		return ""
	}
	text, ok := x.X.(*ssa.Const)
	if !ok || text.Value == nil || text.Value.Kind() != constant.String {
		return ""
	}
	return constant.StringVal(text.Value)
}

// stateTest returns the only predecessor of a block, if it compares a loaded variable with a constant, and both; the variable
// is nil otherwise.
func stateTest(b *ssa.BasicBlock) (test *ssa.BasicBlock, state *ssa.UnOp, value int64) {
	if len(b.Preds) != 1 {
		return nil, nil, 0
	}
	test = b.Preds[0]
	branch, ok := test.Instrs[len(test.Instrs)-1].(*ssa.If)
	if !ok {
		return test, nil, 0
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.EQL {
		return test, nil, 0
	}
	x, ok := cond.X.(*ssa.UnOp)
	k, known := cond.Y.(*ssa.Const)
	if !ok || !known || x.Op != token.MUL || !isInt(k) {
		return test, nil, 0
	}
	return test, x, k.Int64()
}

func isInt(k *ssa.Const) bool { return k.Value != nil && k.Value.Kind() == constant.Int }
