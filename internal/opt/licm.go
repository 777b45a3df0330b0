package opt

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// hoist moves pure operations out of loops when their operands come from
// outside: loop-invariant code motion. They are computed once before the loop,
// even if the loop then would not have needed them, so only what is cheap and
// cannot fail moves:
//
//   - no division, unless by a constant that is not zero;
//   - no address computation, except from the head of the loop before anything
//     that may trap: elsewhere its index may not be proven yet, and the address
//     might lie outside of its object;
//   - no load: a goroutine switch at the loop's header may change all memory.
func hoist(s *state) {
	loops := s.Loops()
	if len(loops.List) == 0 || loops.Irreducible {
		return
	}
	h := &hoister{state: s, of: make([]*ir.Loop, s.f.NumBlocks())}
	for _, b := range s.f.Blocks {
		h.of[b.ID] = loops.Of(b)
	}
	// Inner loops first: an operation that leaves one may also leave the next.
	for _, lp := range loops.List {
		h.loop(lp)
	}
	if h.edges {
		s.graphChanged()
	}
}

type hoister struct {
	*state
	of    []*ir.Loop // by block ID
	edges bool
}

func (h *hoister) inside(b *ir.Block, lp *ir.Loop) bool {
	for x := h.of[b.ID]; x != nil; x = x.Parent {
		if x == lp {
			return true
		}
	}
	return false
}

func (h *hoister) invariant(v *ir.Value, lp *ir.Loop) bool {
	for _, a := range v.Args {
		if a.Op != ir.OpConst && h.inside(a.Block, lp) {
			return false
		}
	}
	return true
}

// worth reports whether moving an operation may gain something and is safe.
func worth(v *ir.Value, first bool) bool {
	switch {
	case !v.Op.Pure():
		return false
	case v.Op.IsComparison():
		return false // part of the branch that uses it
	case v.Op.Divides():
		return v.Args[1].Op == ir.OpConst && v.Args[1].Aux != 0
	}
	switch v.Op {
	case ir.OpConst, ir.OpCopy, ir.OpInvalid, ir.OpLocalAddr:
		return false // free
	}
	if v.Op == ir.OpPtrIdx && v.Aux2 == 0 && v.Aux <= 8 {
		return false // part of the access
	}
	if v.Type == ir.Ptr {
		return first && (v.Op == ir.OpPtrAdd || v.Op == ir.OpPtrIdx)
	}
	return true
}

func (h *hoister) loop(lp *ir.Loop) {
	var pre *ir.Block
	for _, b := range lp.Blocks {
		if h.of[b.ID] != lp {
			continue // an inner loop's blocks were done; anything that can leave is in its preheader
		}
		h.step(len(b.Values))
		first := b == lp.Header
		n := 0
		for i, v := range b.Values {
			if v.HasEffect(ir.MayTrap | ir.WriteMem | ir.Allocates) {
				first = false
			}
			if worth(v, first) && h.invariant(v, lp) {
				if pre == nil {
					if pre = h.preheader(lp); pre == nil {
						return
					}
				}
				for k, a := range v.Args {
					if a.Op == ir.OpConst && h.inside(a.Block, lp) {
						c := h.newConst(a.Type, a.Aux)
						c.Pos = a.Pos
						v.Args[k] = pre.Append(c)
					}
				}
				pre.Append(v)
				h.changed = true
				continue
			}
			b.Values[n] = b.Values[i]
			n++
		}
		clear(b.Values[n:])
		b.Values = b.Values[:n]
	}
}

// preheader is state.preheader for a loop that is hoisted from.
func (h *hoister) preheader(lp *ir.Loop) *ir.Block {
	b := h.state.preheader(lp.Header, func(b *ir.Block) bool { return h.inside(b, lp) })
	for len(h.of) < h.f.NumBlocks() { // it was made
		h.of = append(h.of, lp.Parent)
		h.edges = true
	}
	return b
}

// preheader returns the block that enters a loop and does nothing else after that, nil if several enter
// it. It makes one if necessary.
func (s *state) preheader(head *ir.Block, inside func(*ir.Block) bool) *ir.Block {
	var from *ir.Block
	place := -1
	for i, p := range head.Preds {
		if inside(p) {
			continue
		}
		if from != nil {
			return nil
		}
		from, place = p, i
	}
	if from == nil || from.Kind == ir.BlockJump {
		return from
	}
	return s.split(head, place)
}

// split makes a block on the edge from a predecessor.
func (s *state) split(to *ir.Block, place int) *ir.Block {
	from := to.Preds[place]
	b := s.f.NewBlock()
	b.Pos = to.Pos
	b.Kind = ir.BlockJump
	b.Succs = []*ir.Block{to}
	b.Preds = []*ir.Block{from}
	to.Preds[place] = b
	from.Succs[slices.Index(from.Succs, to)] = b
	return b
}
