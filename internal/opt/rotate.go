package opt

import "github.com/gyrvm/gyr/internal/ir"

// rotate turns loops with the test at the head into loops with the test at the
// end: `for c { body }` becomes `if c { do { body } while c }`. A round then
// takes one branch instead of a branch and a jump, and what stands at the head
// of the body runs at least once when the loop is entered.
//
// The header itself becomes the test at the end; a copy of it tests before the
// loop. Every value that the header defines then has two definitions, and the
// names are repaired for all loops at once.
//
// The pass is not in the pipeline: the interpreter closes loops itself and
// makes the loop charge part of the branch, which a test at the end denies it
// (measured: 5 to 30 % more instructions in tight loops). A native back end may
// want it.
func rotate(s *state) {
	if len(s.Loops().List) == 0 || s.Loops().Irreducible {
		return
	}
	r := &rotator{state: s}
	r.loopOf = make([]*ir.Loop, s.f.NumBlocks())
	for _, b := range s.f.Blocks {
		r.loopOf[b.ID] = s.loops.Of(b)
	}
	r.variable = make([]int32, s.f.NumValues())
	for _, lp := range s.loops.List {
		r.loop(lp)
	}
	if len(r.defs) == 0 {
		return
	}
	s.graphChanged()
	r.repair()
	s.sweep()
}

// maxHeader bounds the operations of a header that are copied.
const maxHeader = 12

type rotator struct {
	*state
	loopOf   []*ir.Loop // by block ID
	variable []int32    // by value ID: variable + 1
	types    []ir.Type
	defs     []definition
}

// A definition says that a value is one definition of a variable.
type definition struct {
	variable int32
	value    *ir.Value
	block    *ir.Block
}

func (r *rotator) inside(b *ir.Block, lp *ir.Loop) bool {
	for x := r.loopOf[b.ID]; x != nil; x = x.Parent {
		if x == lp {
			return true
		}
	}
	return false
}

// loop rotates one loop if its shape allows it.
func (r *rotator) loop(lp *ir.Loop) {
	h := lp.Header
	if h.Kind != ir.BlockIf || h == r.f.Entry || h == r.f.Recover {
		return
	}
	in0, in1 := r.inside(h.Succs[0], lp), r.inside(h.Succs[1], lp)
	if in0 == in1 {
		return
	}
	body := h.Succs[0]
	if in1 {
		body = h.Succs[1]
	}
	if body == h {
		return
	}
	ops := 0
	for _, v := range h.Values {
		switch v.Op {
		case ir.OpPhi, ir.OpConst, ir.OpGas, ir.OpGasLoop:
			continue
		}
		if v.HasEffect(ir.Pinned|ir.Allocates) || v.HasEffect(ir.IsCall) {
			return
		}
		ops++
	}
	if ops > maxHeader {
		return
	}
	// A header that a loop's end reaches only by its own branch is the end already.
	for _, p := range h.Preds {
		if r.inside(p, lp) && p.Kind == ir.BlockIf && len(lp.Latches) == 1 && r.leaves(p, lp) {
			return
		}
	}
	r.copyHeader(lp, h)
}

// leaves reports whether a branch has a way out of the loop.
func (r *rotator) leaves(b *ir.Block, lp *ir.Loop) bool {
	for _, t := range b.Succs {
		if !r.inside(t, lp) {
			return true
		}
	}
	return false
}

// define makes values definitions of one variable.
func (r *rotator) define(v, w *ir.Value, vb, wb *ir.Block) {
	for int(v.ID) >= len(r.variable) {
		r.variable = append(r.variable, 0)
	}
	n := r.variable[v.ID]
	if n == 0 {
		r.types = append(r.types, v.Type)
		n = int32(len(r.types))
		r.variable[v.ID] = n
		r.defs = append(r.defs, definition{n - 1, v, vb})
	}
	for int(w.ID) >= len(r.variable) {
		r.variable = append(r.variable, 0)
	}
	r.variable[w.ID] = n
	r.defs = append(r.defs, definition{n - 1, w, wb})
}

func (r *rotator) copyHeader(lp *ir.Loop, h *ir.Block) {
	f := r.f
	g := f.NewBlock()
	for len(r.loopOf) < f.NumBlocks() {
		r.loopOf = append(r.loopOf, nil)
	}
	r.loopOf[g.ID] = lp.Parent
	g.EndAs(h)
	g.Succs = nil

	// The ways in lead to the copy, with their phi operands.
	copies := make(map[*ir.Value]*ir.Value, len(h.Values))
	mapped := func(v *ir.Value) *ir.Value {
		if w := copies[v]; w != nil {
			return w
		}
		return v
	}
	for _, v := range h.Phis() {
		w := f.NewValue(ir.OpPhi, v.Type)
		w.Pos = v.Pos
		g.Append(w)
		copies[v] = w
	}
	n := 0
	for i, p := range h.Preds {
		if r.inside(p, lp) {
			h.Preds[n] = p
			for _, v := range h.Phis() {
				v.Args[n] = v.Args[i]
			}
			n++
			continue
		}
		g.Preds = append(g.Preds, p)
		for k, t := range p.Succs {
			if t == h {
				p.Succs[k] = g
			}
		}
		for _, v := range h.Phis() {
			w := copies[v]
			w.Args = append(w.Args, v.Args[i])
		}
	}
	h.Preds = h.Preds[:n]
	for _, v := range h.Phis() {
		v.Args = v.Args[:n]
	}
	for _, v := range h.Values[len(h.Phis()):] {
		w := f.CopyOf(v)
		for _, a := range v.Args {
			w.Args = append(w.Args, mapped(a))
		}
		g.Append(w)
		copies[v] = w
	}
	g.Ctrl = mapped(h.Ctrl)
	for _, t := range h.Succs {
		k := t.PredIndex(h)
		for _, v := range t.Phis() {
			v.Args = append(v.Args, mapped(v.Args[k]))
		}
		g.AddEdge(t)
	}
	for _, v := range h.Values {
		if v.Type != ir.Void {
			r.define(v, copies[v], h, g)
		}
	}
}

// repair rewrites every use of a value that has several definitions now.
func (r *rotator) repair() {
	d := r.Dom()
	sb := newSSABuilder(r.state, r.types)
	byBlock := make([][]definition, r.f.NumBlocks())
	for _, df := range r.defs {
		byBlock[df.block.ID] = append(byBlock[df.block.ID], df)
	}
	varOf := func(v *ir.Value) int32 {
		if int(v.ID) < len(r.variable) {
			return r.variable[v.ID] - 1
		}
		return -1
	}
	outside := func(v *ir.Value, b *ir.Block) int32 {
		if v.Block == b {
			return -1
		}
		return varOf(v)
	}
	for i, b := range d.Order {
		for _, v := range b.Values {
			if v.Op == ir.OpPhi {
				continue
			}
			for _, a := range v.Args {
				if n := outside(a, b); n >= 0 {
					sb.use(int32(i), n)
				}
			}
		}
		// The end of the block comes after its definitions.
		for _, df := range byBlock[b.ID] {
			sb.def(int32(i), df.variable)
		}
		if b.Ctrl != nil {
			if n := outside(b.Ctrl, b); n >= 0 {
				sb.use(int32(i), n)
			}
		}
		for _, v := range b.Rets {
			if n := outside(v, b); n >= 0 {
				sb.use(int32(i), n)
			}
		}
		for _, t := range b.Succs {
			for k, p := range t.Preds {
				if p != b {
					continue
				}
				for _, v := range t.Phis() {
					if n := outside(v.Args[k], b); n >= 0 {
						sb.use(int32(i), n)
					}
				}
			}
		}
	}
	sb.placePhis()
	sb.rename(func(b *ir.Block) {
		for _, v := range b.Values {
			if v.Op == ir.OpPhi {
				continue
			}
			for k, a := range v.Args {
				if n := outside(a, b); n >= 0 {
					v.Args[k] = sb.get(n)
				}
			}
		}
		for _, df := range byBlock[b.ID] {
			sb.set(df.variable, df.value)
		}
		if b.Ctrl != nil {
			if n := outside(b.Ctrl, b); n >= 0 {
				b.Ctrl = sb.get(n)
			}
		}
		for k, v := range b.Rets {
			if n := outside(v, b); n >= 0 {
				b.Rets[k] = sb.get(n)
			}
		}
		for _, t := range b.Succs {
			for k, p := range t.Preds {
				if p != b {
					continue
				}
				for _, v := range t.Phis() {
					if n := outside(v.Args[k], b); n >= 0 {
						v.Args[k] = sb.get(n)
					}
				}
			}
		}
	})
}
