package lower

import (
	"go/ast"
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// In a range over a function go/ssa keeps the state of the loop in a variable: 0 when the body may
// be called, -1 while it runs or has panicked, -2 when the iterator has returned, more than 0 when
// the body has left the loop. If the iterator breaks the protocol, go/ssa's code panics with a
// string of its own. gc throws a runtime error that tells the state.
//
// gc has two transitions that go/ssa lacks. A call of the body that comes too late counts as a
// panic of the body, so that an iterator that recovers the error panics when it returns. And when
// the iterator has returned, the loop is over for all later calls of the body, however it was left.

// States of a loop. rangeMissing stands for a state that go/ssa tells by the place of its panic:
// the iterator recovered a panic of the body and returned.
const (
	rangeBusy    = -1
	rangeOver    = -2
	rangeMissing = -3
)

const (
	rangeLost = "iterator call did not preserve panic"
	rangeLate = "yield function called after range loop exit"
)

// rangeText returns the string of a panic that go/ssa made, or "".
func rangeText(in *ssa.Panic) string {
	x, ok := in.X.(*ssa.MakeInterface)
	if !ok || in.Pos().IsValid() {
		return ""
	}
	if text, ok := x.X.(*ssa.Const); ok && text.Value != nil && text.Value.Kind() == constant.String {
		return constant.StringVal(text.Value)
	}
	return ""
}

// rangeState returns the state of the loop that a panic of go/ssa's own is about, or nil. It sets
// the position of the panic to gc's.
func (c *fn) rangeState(in *ssa.Panic) *ir.Value {
	text := rangeText(in)
	if text != rangeLost && text != rangeLate || len(in.Block().Preds) != 1 {
		return nil
	}
	pred := in.Block().Preds[0]
	state := comparedLoad(pred)
	if state == nil {
		return nil
	}
	if text == rangeLost {
		if p := bodyEnd(pred); p.IsValid() {
			c.at(p)
		}
		return c.i64(rangeMissing)
	}
	if loop, ok := c.src.Syntax().(*ast.RangeStmt); ok {
		c.at(loop.Pos())
	}
	v := c.one(state)
	c.store(c.one(state.X), c.i64(rangeBusy), 0)
	return v
}

// comparedLoad returns the load that the condition at the end of a block compares with something,
// or nil.
func comparedLoad(b *ssa.BasicBlock) *ssa.UnOp {
	if branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		if cond, ok := branch.Cond.(*ssa.BinOp); ok {
			if load, ok := cond.X.(*ssa.UnOp); ok && load.Op == token.MUL {
				return load
			}
		}
	}
	return nil
}

// bodyEnd returns the closing brace of the loop whose iterator is called in a block.
func bodyEnd(b *ssa.BasicBlock) (p token.Pos) {
	for _, in := range b.Instrs {
		call, ok := in.(*ssa.Call)
		if !ok || len(call.Call.Args) == 0 {
			continue
		}
		body := call.Call.Args[len(call.Call.Args)-1]
		if made, ok := body.(*ssa.MakeClosure); ok {
			body = made.Fn
		}
		if f, ok := body.(*ssa.Function); ok && isRangeBody(f) {
			if loop, ok := f.Syntax().(*ast.RangeStmt); ok {
				p = loop.Body.Rbrace
			}
		}
	}
	return p
}

// endRange marks a loop as over at the beginning of a block, if the block is the first after a loop
// that its body may have left.
func (c *fn) endRange(b *ssa.BasicBlock) {
	if len(b.Preds) != 1 || len(b.Preds[0].Preds) != 1 {
		return
	}
	check := b.Preds[0]
	before := check.Preds[0]
	if len(check.Succs) != 2 || check.Succs[1] != b || len(before.Succs) != 2 || before.Succs[1] != check {
		return
	}
	lost := before.Succs[0].Instrs
	if in, ok := lost[len(lost)-1].(*ssa.Panic); !ok || rangeText(in) != rangeLost {
		return
	}
	if state := comparedLoad(before); state != nil {
		c.store(c.one(state.X), c.i64(rangeOver), 0)
	}
}
