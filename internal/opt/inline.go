package opt

import (
	"cmp"
	"fmt"

	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/ir"
)

// Inlining replaces calls by the bodies of their callees, bottom-up over the call graph: a callee
// has its final form when its callers look at it, so its cost is known. All charges of the callee
// come along. Positions get the call's as parent, so tracebacks show the frames of the source.
//
// Never inlined: functions marked so; those that defer, recover or ask for their frame; members of
// a recursion; functions of the runtime that call guest code (recover looks for their activation);
// and those whose declaration promises something about their parameters.

// The costs are counted in operations of the callee; see bodyCost.
const (
	inlineCost       = 60   // of an ordinary callee
	inlineCostOnce   = 160  // of a function literal or a function called with one, whose target is known
	inlineCostCold   = 10   // where the block ends in a panic
	inlineCallerSize = 5000 // callers of more operations only take tiny callees
	inlineGrowth     = 2000 // operations that one caller may take on, or ten times its own
	inlineLocals     = 1024 // bytes of locals of a callee

	// Charges and constants cost nothing, but they take memory: a function that calls one twice
	// that calls one twice … would exhaust any memory.
	// memory for.
	inlineValues       = 1000    // of a callee, of every kind
	inlineCallerValues = 100_000 // of a caller
	inlineRoom         = 8       // a module may gain this many times its own values, beside inlineFree
	inlineFree         = 1 << 20
)

// A funcInfo is what callers need to know about a function in its final form.
type funcInfo struct {
	done       bool // processed: the other fields are valid
	inlinable  bool
	cost       int
	values     int  // of every kind
	callsParam bool // calls a function value that it was passed
	closed     bool // reads the value that it was called through; for functions of a base
	params     []leak
	closure    leak // of the function value through which it is called
}

// An inliner keeps the facts about a module's functions during phase A.
type inliner struct {
	m      *ir.Module
	info   []funcInfo             // of the module's own functions
	base   *Base                  // of the others
	known  map[*ir.Func]*funcInfo // what was read of base
	err    error                  // a body, or another part, of the base cannot be read
	pos    map[ir.PosEntry]ir.Pos
	chains map[[2]ir.Pos]ir.Pos
	keep   map[*ir.Func]bool // functions that passes recognise by their calls
	room   int               // values that the module may still take on
	str    stringFuncs

	makers    map[*ir.Func]*maker
	deferproc *ir.Func // the overlay's, nil if there is none
}

func newInliner(m *ir.Module, base *Base) *inliner {
	in := &inliner{
		m:      m,
		info:   make([]funcInfo, len(m.Own())),
		base:   base,
		known:  map[*ir.Func]*funcInfo{},
		pos:    map[ir.PosEntry]ir.Pos{},
		chains: map[[2]ir.Pos]ir.Pos{},
		keep:   map[*ir.Func]bool{},
	}
	in.room = inlineFree
	for _, f := range m.Own() {
		in.room += inlineRoom * countValues(f)
	}
	_, first := m.FirstLines()
	for i, e := range m.Pos { // the base's are not searched: it has many
		if e.Parent != 0 {
			in.pos[e] = ir.Pos(first + i)
		}
	}
	return in
}

// chain returns position p of a callee as seen from the call at position at.
func (in *inliner) chain(p, at ir.Pos) ir.Pos {
	if _, n := in.m.NumLines(); p <= 0 || int(p) >= n {
		return at
	}
	key := [2]ir.Pos{p, at}
	if q, ok := in.chains[key]; ok {
		return q
	}
	e, err := in.m.ReadPosition(p)
	if err != nil {
		in.err = cmp.Or(in.err, err)
	}
	if e.Parent == 0 {
		e.Parent = at
	} else {
		e.Parent = in.chain(e.Parent, at)
	}
	q, ok := in.pos[e]
	if !ok {
		q = in.m.AddPosition(e)
		in.pos[e] = q
	}
	in.chains[key] = q
	return q
}

// bodyCost returns the cost of inlining a function: its operations, without those that disappear;
// calls count for the code around them.
func bodyCost(f *ir.Func) (cost int, callsParam bool) {
	only := f.CountOnly()
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if only != nil && only[v.ID] {
				continue
			}
			switch v.Op {
			case ir.OpCount, ir.OpCountIf:
			case ir.OpConst, ir.OpArg, ir.OpClosure, ir.OpPhi, ir.OpResult, ir.OpLocalAddr, ir.OpGas, ir.OpOpaque, ir.OpConsume:
			case ir.OpCall, ir.OpCallIndex, ir.OpHost:
				cost += 4 + len(v.Args)/2
			case ir.OpCallClosure:
				cost += 4 + len(v.Args)/2
				if a := v.Args[0]; a.Op == ir.OpArg {
					callsParam = true
				}
			case ir.OpNew, ir.OpNewArray, ir.OpMove, ir.OpClear:
				cost += 3
			default:
				cost++
			}
		}
		if b.Kind == ir.BlockIf || b.Kind == ir.BlockSwitch {
			cost += 1 + len(b.Cases)
		}
	}
	return cost, callsParam
}

// summarise fills in what callers of f need, after f has reached its final form.
func (in *inliner) summarise(f *ir.Func, recursive bool) {
	x := in.about(f)
	if neverReturns(f) {
		f.Flags |= ir.NoReturn
	}
	x.cost, x.callsParam = bodyCost(f)
	x.values = countValues(f)
	x.inlinable = !recursive &&
		f.Flags&(ir.NoInline|ir.HasDefer|ir.HasRecover|ir.NoReturn|ir.MakeFuncStub|ir.NoEscape) == 0 &&
		f.Recover == nil && x.cost <= inlineCostOnce && x.values <= inlineValues && localBytes(f) <= inlineLocals &&
		!in.keep[f]
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			switch v.Op {
			case ir.OpFrameID, ir.OpUnwind:
				x.inlinable = false
			case ir.OpCall:
				if v.Fn == f {
					x.inlinable = false
				}
			case ir.OpCallClosure, ir.OpCallIndex:
				if f.Flags&(ir.Runtime|ir.NoPreempt) != 0 {
					x.inlinable = false
				}
			}
		}
	}
	x.done = true
}

// neverReturns reports whether no path through a function ends in a return. A function that
// recovers returns after its recovery block.
func neverReturns(f *ir.Func) bool {
	for _, b := range f.Blocks {
		if b.Kind == ir.BlockReturn {
			return false
		}
	}
	return f.Recover == nil
}

// countValues returns the number of values of a function, of every kind.
func countValues(f *ir.Func) int {
	n := 0
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if !v.IsCount() {
				n++
			}
		}
	}
	return n
}

// localBytes is the size of a function's locals.
func localBytes(f *ir.Func) int64 {
	n := int64(0)
	for i := range f.Locals {
		n += (f.Locals[i].Size + 7) &^ 7
	}
	return n
}

// A callSite is a call that is to be replaced.
type callSite struct {
	call  *ir.Value
	fn    *ir.Func
	place int // in its block
}

// inlineCalls replaces calls in f. The first round considers every call, later rounds only those
// whose target became known since: the others were decided.
func (in *inliner) inlineCalls(s *state, first bool, budget *int) bool {
	f := s.f
	size, values := f.NumOps(), countValues(f)
	known := findClosures(f)
	changed := false
	n := len(f.Blocks)
	for _, b := range f.Blocks[:n] {
		var sites []callSite
		cold := b.Kind == ir.BlockUnreachable
		for i, v := range b.Values {
			g := in.callee(v, known, first)
			if g == nil || g == f {
				continue
			}
			x := in.about(g)
			if !x.done || !x.inlinable {
				if s.log {
					s.event("inline", NotInlined, v, g.Name, in.whyNot(g))
				}
				continue
			}
			limit := inlineCost
			if v.Op == ir.OpCallClosure || f.Flags&(ir.Measured|ir.InlineMore) == ir.Measured|ir.InlineMore || x.callsParam && passesKnown(v, known) {
				limit = inlineCostOnce
			}
			if cold || size > inlineCallerSize || *budget <= 0 {
				limit = inlineCostCold
			}
			if x.cost > limit || values > inlineCallerValues || x.values > in.room {
				if s.log {
					s.event("inline", NotInlined, v, g.Name, tooDear(x, limit, cold, size))
				}
				continue
			}
			if s.log {
				s.event("inline", Inlined, v, g.Name, fmt.Sprintf("its cost is %d, at most %d", x.cost, limit))
			}
			in.room -= x.values
			values += x.values
			*budget -= x.cost
			size += x.cost
			sites = append(sites, callSite{v, g, i})
		}
		// From the last to the first: the code after a call moves once.
		for i := len(sites) - 1; i >= 0; i-- {
			s.step(cancel.Every)
			in.inline(s, sites[i])
			changed = true
		}
	}
	if changed {
		s.graphChanged()
		s.sweep()
		s.dropUnreachable()
	}
	return changed
}

// callee returns the function that a call certainly runs.
func (in *inliner) callee(v *ir.Value, known *closures, first bool) *ir.Func {
	switch v.Op {
	case ir.OpCall:
		if first {
			return v.Fn
		}
	case ir.OpCallClosure:
		if g := known.target(v.Args[0]); g != nil && g.Sig.Equal(v.Sig) {
			return g
		}
	case ir.OpCallIndex:
		if g := knownIndex(in.m, v.Args[0]); g != nil && g.Sig.Equal(v.Sig) && !in.usesClosure(g) {
			return g
		}
	}
	return nil
}

// passesKnown reports whether a call passes a function value whose target is known.
func passesKnown(v *ir.Value, known *closures) bool {
	for _, a := range v.Args {
		if (a.Op == ir.OpNew || a.Op == ir.OpLocalAddr) && known.target(a) != nil {
			return true
		}
	}
	return false
}

// inline replaces one call.
func (in *inliner) inline(s *state, site callSite) {
	f, g, call := s.f, in.body(site.fn), site.call
	if len(g.Blocks) == 0 {
		return // it cannot be read: in.err says why
	}
	b := call.Block
	at := call.Pos
	if at == 0 {
		at = f.Pos
	}
	results := call.Sig.Results
	f.Flags |= g.Flags & ir.Unsafe
	// The code after the call goes to a block of its own.
	rest := b.Values[site.place+1:]
	named := make([]*ir.Value, len(results))
	if len(named) > 0 {
		named[0] = call
	}
	for len(rest) > 0 && rest[0].Op == ir.OpResult {
		named[rest[0].Aux] = rest[0]
		rest = rest[1:]
	}
	cont := f.NewBlock()
	cont.Values = append(make([]*ir.Value, 0, len(rest)), rest...)
	for _, v := range cont.Values {
		v.Block = cont
	}
	cont.EndAs(b)
	for _, t := range cont.Succs {
		for i, p := range t.Preds {
			if p == b {
				t.Preds[i] = cont
			}
		}
	}
	clear(b.Values[site.place:])
	b.Values = b.Values[:site.place]
	b.Ctrl, b.Cases, b.Rets, b.Succs, b.Likely = nil, nil, nil, nil, 0

	// The callee's blocks and values under new numbers.
	locals := int64(len(f.Locals))
	f.Locals = append(f.Locals, g.Locals...)
	blocks := make([]*ir.Block, g.NumBlocks())
	for _, gb := range g.Blocks {
		if gb == g.Entry {
			blocks[gb.ID] = b
		} else {
			blocks[gb.ID] = f.NewBlock()
		}
	}
	args, closure := call.Args, (*ir.Value)(nil)
	switch call.Op {
	case ir.OpCallClosure:
		closure, args = call.Args[0], call.Args[1:]
	case ir.OpCallIndex:
		args = call.Args[1:]
	}
	values := make([]*ir.Value, g.NumValues())
	for _, gb := range g.Blocks {
		nb := blocks[gb.ID]
		for _, v := range gb.Values {
			switch v.Op {
			case ir.OpArg:
				values[v.ID] = args[v.Aux]
				continue
			case ir.OpClosure:
				values[v.ID] = closure
				continue
			}
			w := f.CopyOf(v)
			w.Pos = in.chain(v.Pos, at)
			w.Live = 0 // a set of g
			switch {
			case v.Op == ir.OpLocalAddr:
				w.Aux += locals
			case v.Op == ir.OpGas && v.Aux2 == ir.GasEntry && f.Flags&ir.Runtime == 0:
				w.Aux2 = ir.GasLate // f makes calls, as lowered, so its entry checks
			}
			values[v.ID] = w
			nb.Append(w)
		}
	}
	var returns []*ir.Block
	for _, gb := range g.Blocks {
		nb := blocks[gb.ID]
		for _, v := range gb.Values {
			if v.Op == ir.OpArg || v.Op == ir.OpClosure || len(v.Args) == 0 {
				continue
			}
			w := values[v.ID]
			w.Args = make([]*ir.Value, len(v.Args))
			for i, a := range v.Args {
				w.Args[i] = values[a.ID]
			}
		}
		nb.EndAs(gb)
		nb.Succs, nb.Rets = nil, nil
		nb.Pos = in.chain(gb.Pos, at)
		nb.Cases = append([]int64(nil), gb.Cases...)
		if gb.Ctrl != nil {
			nb.Ctrl = values[gb.Ctrl.ID]
		}
		for _, t := range gb.Succs {
			nb.Succs = append(nb.Succs, blocks[t.ID])
		}
		for _, p := range gb.Preds {
			nb.Preds = append(nb.Preds, blocks[p.ID])
		}
		if gb.Kind == ir.BlockReturn {
			nb.Kind = ir.BlockJump
			for _, r := range gb.Rets {
				nb.Rets = append(nb.Rets, values[r.ID])
			}
			returns = append(returns, nb)
		}
	}
	// Returns lead to the rest; results meet in phis there.
	rets := make([][]*ir.Value, len(returns))
	for i, nb := range returns {
		rets[i], nb.Rets = nb.Rets, nil
		nb.AddEdge(cont)
	}
	var phis []*ir.Value
	for i, v := range named {
		if v == nil {
			continue
		}
		switch len(returns) {
		case 0:
			becomesConst(v, 0) // nobody gets here
			v.Fn, v.Sig, v.Shape = nil, nil, 0
			v.Block = cont
			phis = append(phis, v)
		case 1:
			becomes(v, rets[0][i])
		default:
			phi := f.NewValue(ir.OpPhi, results[i])
			for _, r := range rets {
				phi.Args = append(phi.Args, r[i])
			}
			phi.Block = cont
			phi.Pos = call.Pos
			phis = append(phis, phi)
			becomes(v, phi)
		}
	}
	if len(phis) > 0 {
		cont.Values = append(phis, cont.Values...)
	}
}
