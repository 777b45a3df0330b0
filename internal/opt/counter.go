package opt

import "github.com/gyrvm/gyr/internal/ir"

// findCounters looks at the phis of loop headers.
func (p *prover) findCounters() {
	for _, lp := range p.Loops().List {
		for _, v := range lp.Header.Phis() {
			if isInt(v) {
				p.counts[v.ID] = p.counter(lp, v)
			}
		}
	}
}

func (p *prover) counter(lp *ir.Loop, v *ir.Value) *counter {
	d := p.Dom()
	n := &counter{}
	sign := int64(0)
	for i, a := range v.Args {
		from := lp.Header.Preds[i]
		if !d.Dominates(lp.Header, from) {
			if n.init != nil && n.init != a {
				return nil
			}
			n.init = a
			continue
		}
		if a == v {
			continue
		}
		x, c := addConst(a)
		if x != v || c == 0 || c != 1 && c != -1 && (c < -1<<20 || c > 1<<20) {
			return nil
		}
		if sign != 0 && (sign > 0) != (c > 0) {
			return nil
		}
		sign = c
		limit, k, carried, ok := p.stops(lp, v, a, c, from)
		if !ok {
			return nil
		}
		if carried {
			n.room = max(c, -c)
		}
		if n.limit == nil && limit != nil && c == 1 {
			n.limit, n.c = limit, k
		} else if n.limit != limit || n.c != k {
			n.limit = nil
		}
	}
	if n.init == nil || sign == 0 {
		return nil
	}
	n.up = sign > 0
	if !n.up || n.limit != nil && !p.invariant(lp, n.limit) || len(lp.Latches) != 1 {
		n.limit = nil
	}
	return n
}

func (p *prover) invariant(lp *ir.Loop, v *ir.Value) bool {
	return v.Op == ir.OpConst || !p.Loops().Contains(lp, v.Block)
}

// stops finds a condition on every path to the end of the edge from→header that keeps the counter
// v, or its next value next = v + c, on one side of something: then the sum cannot wrap. For c = 1
// it also returns the limit: next ≤ limit + k.
func (p *prover) stops(lp *ir.Loop, v, next *ir.Value, c int64, from *ir.Block) (limit *ir.Value, k int64, carried,
	ok bool) {
	d := p.Dom()
	if limit, k, carried, ok = p.stopsAt(lp, v, next, c, from, lp.Header); ok {
		return
	}
	for b := from; b != nil && b != lp.Header; {
		if len(b.Preds) != 1 {
			b = d.Idom(b)
			continue
		}
		a := b.Preds[0]
		if limit, k, carried, ok = p.stopsAt(lp, v, next, c, a, b); ok {
			return
		}
		b = a
	}
	return nil, 0, false, false
}

// stopsAt analyses the condition under which control goes from a to b.
//
// A condition on v itself bounds the sum of the same iteration. One on next bounds the value that
// is carried around, and so the sum of the next iteration. Then the first sum must not wrap either,
// and the loop must have no other back edge: then no sum ever wraps, whatever happens to it
// (carried).
func (p *prover) stopsAt(lp *ir.Loop, v, next *ir.Value, c int64, a, b *ir.Block) (limit *ir.Value, k int64, carried,
	ok bool) {
	if a.Kind != ir.BlockIf {
		return nil, 0, false, false
	}
	t := v.Type
	truth := a.Succs[0] == b
	op := a.Ctrl.Op
	switch op {
	case ir.OpLtS, ir.OpLeS:
		x, y := a.Ctrl.Args[0], a.Ctrl.Args[1]
		if !truth { // not x < y: y ≤ x
			x, y = y, x
			op = ir.OpLtS + ir.OpLeS - op
		}
		strict := b2i(op == ir.OpLtS)
		if c > 0 && (x == v || x == next && p.firstFits(lp, v, c)) {
			if _, yh := smallRange(y); yh <= maxOf(t)-(c-strict) {
				if x == v {
					return y, c - strict, false, true
				}
				return y, -strict, true, true
			}
		}
		if c < 0 && (y == v || y == next && p.firstFits(lp, v, c)) {
			if xl, _ := smallRange(x); xl >= minOf(t)-c-strict {
				return nil, 0, y == next, true
			}
		}
	case ir.OpEq, ir.OpNe:
		// A loop that ends at equality does not wrap if it starts on the right side.
		if (op == ir.OpNe) != truth || c != 1 && c != -1 {
			return nil, 0, false, false
		}
		x, y := a.Ctrl.Args[0], a.Ctrl.Args[1]
		if x != v && x != next || y.Op != ir.OpConst || !p.firstFits(lp, v, c) {
			return nil, 0, false, false
		}
		init := p.initOf(lp, v)
		if init.Op != ir.OpConst {
			return nil, 0, false, false
		}
		first := init.Aux
		if x == next {
			first += c
		}
		if c > 0 && first <= y.Aux || c < 0 && first >= y.Aux {
			return nil, 0, false, true
		}
	}
	return nil, 0, false, false
}

// firstFits reports that a loop has one back edge and that the first sum does not wrap.
func (p *prover) firstFits(lp *ir.Loop, v *ir.Value, c int64) bool {
	init := p.initOf(lp, v)
	if init == nil || len(lp.Latches) != 1 {
		return false
	}
	lo, hi := smallRange(init)
	return c > 0 && hi <= maxOf(v.Type)-c || c < 0 && lo >= minOf(v.Type)-c
}

func (p *prover) initOf(lp *ir.Loop, v *ir.Value) *ir.Value {
	d := p.Dom()
	var init *ir.Value
	for i, a := range v.Args {
		if !d.Dominates(lp.Header, lp.Header.Preds[i]) {
			if init != nil && init != a {
				return nil
			}
			init = a
		}
	}
	return init
}
