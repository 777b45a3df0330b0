package opt

import (
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt/facts"
)

// The facts of prove about a single integer: its description by package facts.

func (p *prover) lo(v *ir.Value) int64 { return p.about[v.ID].Lo }
func (p *prover) hi(v *ir.Value) int64 { return p.about[v.ID].Hi }

// known describes v at the current place.
func (p *prover) known(v *ir.Value) facts.Value {
	switch {
	case !isInt(v):
		return facts.Top(64)
	case v.Op == ir.OpConst:
		return facts.Const(width(v.Type), v.Aux)
	case !p.has(v):
		return facts.Top(width(v.Type))
	}
	return p.about[v.ID]
}

// setRange intersects the facts about v with a signed range.
func (p *prover) setRange(v *ir.Value, lo, hi int64) {
	if isInt(v) && p.has(v) && (lo > p.lo(v) || hi < p.hi(v)) {
		p.narrow(v, facts.Signed(width(v.Type), lo, hi), 3)
	}
}

// narrow adds a description of v, and what it says of the operands from which v is made.
func (p *prover) narrow(v *ir.Value, x facts.Value, depth int) {
	if !p.has(v) || v.Op == ir.OpConst || !isInt(v) {
		return
	}
	old := p.about[v.ID]
	x = facts.Meet(width(v.Type), old, x)
	if x == old || x.Empty() {
		return // nothing new, or a place that is not reached
	}
	p.save(v)
	p.about[v.ID] = x
	if depth == 0 || len(v.Args) == 0 || len(v.Args) > 2 || len(v.Args) == 2 && v.Args[1].Op != ir.OpConst ||
		!isInt(v.Args[0]) {
		return
	}
	a, b := v.Args[0], facts.Value{}
	if len(v.Args) == 2 {
		b = p.known(v.Args[1])
	}
	p.narrow(a, facts.Operand(v.Op, width(v.Type), width(a.Type), x, b), depth-1)
}

// transfer describes v by its operation and the facts about its operands.
func (p *prover) transfer(v *ir.Value) facts.Value {
	from := width(v.Type)
	var a, b facts.Value
	if len(v.Args) > 0 {
		a = p.known(v.Args[0])
		if isInt(v.Args[0]) {
			from = width(v.Args[0].Type)
		}
	}
	if len(v.Args) > 1 {
		b = p.known(v.Args[1])
	}
	return facts.Apply(v.Op, width(v.Type), from, a, b)
}

// define computes the facts about a value at its definition.
func (p *prover) define(v *ir.Value) {
	x := p.describe(v)
	if x.Empty() {
		x = facts.Top(width(v.Type))
	}
	p.about[v.ID] = x
	if n := p.counts[v.ID]; n != nil && v.Op == ir.OpPhi {
		if n.up {
			p.inequality(n.init, v, 0)
		} else {
			p.inequality(v, n.init, 0)
		}
		if n.limit != nil && p.has(n.limit) && p.less(n.init, n.limit, n.c) {
			p.inequality(v, n.limit, n.c)
		}
	}
}

// describe computes a description from the operation and the descriptions of the operands, and for
// a few operations from more than these.
func (p *prover) describe(v *ir.Value) facts.Value {
	w := width(v.Type)
	switch v.Op {
	case ir.OpConst:
		return facts.Const(w, v.Aux)
	case ir.OpSub:
		x := p.transfer(v)
		if a, b := p.known(v.Args[0]), p.known(v.Args[1]); x.Lo < 0 && b.Lo >= 0 && p.less(v.Args[1], v.Args[0], 0) {
			x = facts.Meet(w, x, facts.Signed(w, 0, a.Hi)) // 0 ≤ b ≤ a
		}
		return x
	case ir.OpSelect:
		a, b := p.known(v.Args[1]), p.known(v.Args[2])
		if _, _, least, ok := minMax(v); ok && least {
			return facts.MinS(w, a, b)
		} else if ok {
			return facts.MaxS(w, a, b)
		}
		return facts.Join(a, b)
	case ir.OpIndexByte:
		return facts.IndexIn(w, p.known(v.Args[1]))
	case ir.OpPhi:
		return p.phi(v)
	}
	return p.transfer(v)
}

func (p *prover) phi(v *ir.Value) facts.Value {
	w := width(v.Type)
	if n := p.counts[v.ID]; n != nil {
		first := p.known(n.init)
		if n.up {
			return facts.Signed(w, first.Lo, maxOf(v.Type)-n.room)
		}
		return facts.Signed(w, minOf(v.Type)+n.room, first.Hi)
	}
	d := p.Dom()
	var x facts.Value
	found := false
	for i, a := range v.Args {
		if a == v {
			continue
		}
		if a.Op != ir.OpConst && d.Number(v.Block.Preds[i]) >= d.Number(v.Block) {
			return facts.Top(w) // comes from a place that was not visited
		}
		k := p.known(a)
		if found {
			k = facts.Join(x, k)
		}
		x, found = k, true
	}
	if !found {
		return facts.Top(w)
	}
	return x
}
