package opt

import (
	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/ir"
)

// A state is one function while a pass runs over it, with the analyses of its graph. A change of
// the graph drops them.
type state struct {
	f   *ir.Func
	m   *ir.Module
	cfg *Options

	dom   *ir.Dom
	loops *ir.Loops

	meter cancel.Meter // see step

	changed bool // set by passes that may be worth repeating

	escape *escaper // result of the last round of the escape analysis

	unnamed string // with Options.Verify: a value that simplify changed by no rule

	log     bool                 // decisions are logged
	reasons map[*ir.Value]string // with log: the running pass's reasons for removals
	told    map[*ir.Value]bool   // with log: the values whose decision was logged
}

func newState(f *ir.Func, cfg *Options) *state {
	return &state{f: f, m: f.Module, cfg: cfg, log: cfg.logging(f)}
}

// Dom returns the dominator tree.
func (s *state) Dom() *ir.Dom {
	if s.dom == nil {
		s.dom = ir.NewDom(s.f)
	}
	return s.dom
}

// Loops returns the loop forest.
func (s *state) Loops() *ir.Loops {
	if s.loops == nil {
		s.loops = ir.NewLoops(s.Dom())
	}
	return s.loops
}

// graphChanged drops what was computed from blocks and edges.
func (s *state) graphChanged() {
	s.dom, s.loops = nil, nil
	s.changed = true
}

// newConst makes a constant that is in no block yet; c is cut to the type.
func (s *state) newConst(t ir.Type, c int64) *ir.Value {
	v := s.f.NewValue(ir.OpConst, t)
	v.Aux = ir.TruncConst(t, c)
	return v
}

// unsigned returns a constant zero-extended from its type.
func unsigned(t ir.Type, c int64) uint64 {
	switch t {
	case ir.I8:
		return uint64(uint8(c))
	case ir.I16:
		return uint64(uint16(c))
	case ir.I32, ir.F32, ir.Ptr:
		return uint64(uint32(c))
	}
	return uint64(c)
}

// becomes turns v into a copy of w. Every later user looks through it.
func becomes(v, w *ir.Value) {
	v.Op = ir.OpCopy
	v.Args = append(v.Args[:0:0], w)
	v.Aux, v.Aux2 = 0, 0
	v.Fn, v.Sig, v.Shape = nil, nil, 0
}

// becomesConst turns v into a constant of its type.
func becomesConst(v *ir.Value, c int64) {
	v.Op = ir.OpConst
	v.Args = nil
	v.Aux, v.Aux2 = ir.TruncConst(v.Type, c), 0
}

// deleted marks a value without result for removal from its block.
func deleted(v *ir.Value) {
	v.Op = ir.OpInvalid
	v.Type = ir.Void
	v.Args = nil
	v.Fn, v.Sig, v.Shape = nil, nil, 0
}

// origin looks through copies.
func origin(v *ir.Value) *ir.Value {
	for v.Op == ir.OpCopy {
		v = v.Args[0]
	}
	return v
}

// settle replaces copies by their originals.
func settle(list []*ir.Value) {
	for i, v := range list {
		if v.Op == ir.OpCopy {
			list[i] = origin(v)
		}
	}
}

// sweep makes every use look through copies, then drops copies and deleted values.
func (s *state) sweep() {
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if v.Op == ir.OpCopy {
				continue
			}
			settle(v.Args)
		}
		if b.Ctrl != nil {
			b.Ctrl = origin(b.Ctrl)
		}
		settle(b.Rets)
	}
	for _, b := range s.f.Blocks {
		n := 0
		for _, v := range b.Values {
			if v.Op != ir.OpCopy && v.Op != ir.OpInvalid {
				b.Values[n] = v
				n++
			}
		}
		clear(b.Values[n:])
		b.Values = b.Values[:n]
	}
}

// useCounts counts the uses of each value, by ID: operands, terminators.
func useCounts(f *ir.Func) []int32 {
	n := make([]int32, f.NumValues())
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				n[a.ID]++
			}
		}
		if b.Ctrl != nil {
			n[b.Ctrl.ID]++
		}
		for _, r := range b.Rets {
			n[r.ID]++
		}
	}
	return n
}

// userLists lists the operations that use each value, by ID. A value used by a
// block's end has a nil user.
func userLists(f *ir.Func) [][]*ir.Value {
	users := make([][]*ir.Value, f.NumValues())
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				users[a.ID] = append(users[a.ID], v)
			}
		}
		if b.Ctrl != nil {
			users[b.Ctrl.ID] = append(users[b.Ctrl.ID], nil)
		}
		for _, r := range b.Rets {
			users[r.ID] = append(users[r.ID], nil)
		}
	}
	return users
}

// addConst splits v into x + c, with c = 0 if it is not a sum with a constant.
func addConst(v *ir.Value) (x *ir.Value, c int64) {
	if v.Op == ir.OpAdd && v.Args[1].Op == ir.OpConst {
		return v.Args[0], v.Args[1].Aux
	}
	return v, 0
}

// ptrBase splits an address into a base and a constant offset.
func ptrBase(p *ir.Value) (base *ir.Value, off int64) {
	for p.Op == ir.OpPtrAdd && p.Args[1].Op == ir.OpConst {
		off += p.Args[1].Aux
		p = p.Args[0]
	}
	return p, off
}

// additions are values that a pass makes, by the value before which they go.
type additions map[*ir.Value][]*ir.Value

// insert puts those of a block into it. It reports whether there are any.
func (a additions) insert(b *ir.Block) bool {
	if len(a) == 0 {
		return false
	}
	list := make([]*ir.Value, 0, len(b.Values)+2*len(a))
	var add func(v *ir.Value)
	add = func(v *ir.Value) {
		for _, x := range a[v] {
			x.Block = b
			add(x) // something may have been added before it in turn
		}
		list = append(list, v)
	}
	for _, v := range b.Values {
		add(v)
	}
	b.Values = list
	return true
}

// An inserter puts values made by a pass into their blocks: each goes right
// before the value that it is made for.
type inserter struct {
	out []*ir.Value
	b   *ir.Block
}

func (in *inserter) start(b *ir.Block) {
	in.b = b
	in.out = in.out[:0]
}

func (in *inserter) add(v *ir.Value) *ir.Value {
	v.Block = in.b
	in.out = append(in.out, v)
	return v
}

// finish stores the list into the block.
func (in *inserter) finish() {
	if cap(in.b.Values) >= len(in.out) {
		n := len(in.b.Values)
		in.b.Values = in.b.Values[:len(in.out)]
		copy(in.b.Values, in.out)
		if n > len(in.out) {
			clear(in.b.Values[len(in.out):n])
		}
		return
	}
	in.b.Values = append(make([]*ir.Value, 0, len(in.out)+len(in.out)/4), in.out...)
}
