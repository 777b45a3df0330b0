package opt

import (
	"fmt"

	"github.com/gyrvm/gyr/internal/ir"
)

// Escape analysis finds the objects that no longer exist for anybody when their
// function returns, and moves them from the heap into the function's locals.
//
// Pointers that are copies of one another (through phis, selects and address
// arithmetic) form a class. What happens to a class is a set of leaks; it flows
// backwards along loads, stores, moves and calls until nothing changes. The
// contents of an object are one: whatever is loaded from it may be any pointer
// that was stored into it. Storing into memory that is not known (a parameter's,
// a global, what was loaded) leaks the pointer. Callees have summaries of what
// they do to their parameters, computed bottom-up, with the members of a
// recursion iterated to a fixed point.
//
// As in gc, a conversion to an integer and back is the programmer's promise
// that nothing escapes by it.

// A leak is what may happen to a pointer.
type leak uint8

const (
	leakAddr   leak = 1 << iota // the address outlives the function
	leakInner                   // an address stored behind it does, at any depth
	retAddr                     // the address may be in a result
	retInner                    // an address stored behind it may be in a result
	calledFunc                  // it is a function value and is called
)

// closed completes a set: who has an address has what is behind it.
func (l leak) closed() leak {
	if l&leakAddr != 0 {
		l |= leakInner
	}
	if l&retAddr != 0 {
		l |= retInner
	}
	return l
}

// Limits of what moves into a frame; gc's for implicitly allocated variables.
const (
	maxStackObject = 64 << 10
	maxStackFrame  = 256 << 10
)

// A flow carries leaks from one class to another.
type flow struct {
	to   int32
	mask leak // if the source has one of these
	add  leak // the target gets these
	next int32
}

type escaper struct {
	*state
	in     *inliner
	class  []int32 // union-find by value ID, then one node a local
	leaks  []leak  // by root
	known  []bool  // by root: only objects made here
	heads  []int32
	flows  []flow
	queued []bool
	work   []int32
	clo    *closures

	// The second partition follows pointers through memory as well, for the
	// question whether an object can meet its successor of the next round of a loop.
	alias   []int32
	content []int32 // by root: class of what is stored behind, -1: none yet
	within  map[int32][]int32
}

func newEscaper(s *state, in *inliner) *escaper {
	n := s.f.NumValues() + len(s.f.Locals)
	e := &escaper{state: s, in: in, class: make([]int32, n), leaks: make([]leak, n), known: make([]bool, n), heads: make([]int32, n), queued: make([]bool, n)}
	for i := range e.class {
		e.class[i] = int32(i)
		e.known[i] = true
	}
	e.clo = findClosures(s.f)
	return e
}

func find(p []int32, x int32) int32 {
	for p[x] != x {
		p[x] = p[p[x]]
		x = p[x]
	}
	return x
}

func (e *escaper) of(v *ir.Value) int32 { return find(e.class, v.ID) }

func (e *escaper) join(a, b int32) {
	a, b = find(e.class, a), find(e.class, b)
	if a == b {
		return
	}
	if a > b {
		a, b = b, a
	}
	e.class[b] = a
	e.known[a] = e.known[a] && e.known[b]
}

func (e *escaper) localNode(n int64) int32 { return int32(e.f.NumValues() + int(n)) }

// unify makes the classes.
func (e *escaper) unify() {
	for _, b := range e.f.Blocks {
		for _, v := range b.Values {
			if v.Type != ir.Ptr {
				continue
			}
			switch v.Op {
			case ir.OpPhi, ir.OpCopy:
				for _, a := range v.Args {
					e.join(v.ID, a.ID)
				}
			case ir.OpSelect:
				e.join(v.ID, v.Args[1].ID)
				e.join(v.ID, v.Args[2].ID)
			case ir.OpPtrAdd, ir.OpPtrIdx:
				e.join(v.ID, v.Args[0].ID)
			case ir.OpLocalAddr:
				e.join(v.ID, e.localNode(v.Aux))
			case ir.OpNew, ir.OpNewArray:
			case ir.OpConst:
				if v.Aux != 0 {
					e.known[e.of(v)] = false
				}
			default:
				e.known[e.of(v)] = false
			}
		}
	}
}

// link adds a flow between classes.
func (e *escaper) link(from, to int32, mask, add leak) {
	from, to = find(e.class, from), find(e.class, to)
	e.flows = append(e.flows, flow{to, mask, add, e.heads[from]})
	e.heads[from] = int32(len(e.flows))
}

// add gives a class leaks.
func (e *escaper) add(c int32, l leak) {
	c = find(e.class, c)
	l = (l | e.leaks[c]).closed()
	if l == e.leaks[c] {
		return
	}
	e.leaks[c] = l
	if !e.queued[c] {
		e.queued[c] = true
		e.work = append(e.work, c)
	}
}

func (e *escaper) propagate() {
	for len(e.work) > 0 {
		c := e.work[len(e.work)-1]
		e.work = e.work[:len(e.work)-1]
		e.queued[c] = false
		for i := e.heads[c]; i != 0; i = e.flows[i-1].next {
			if f := &e.flows[i-1]; e.leaks[c]&f.mask != 0 {
				e.add(f.to, f.add)
			}
		}
	}
}

// analyse computes the leaks of all classes.
func (e *escaper) analyse() {
	e.unify()
	for _, b := range e.f.Blocks {
		for _, v := range b.Values {
			e.effect(v)
		}
		for _, r := range b.Rets {
			if r.Type == ir.Ptr {
				e.add(r.ID, retAddr)
			}
		}
	}
	e.propagate()
}

func (e *escaper) effect(v *ir.Value) {
	switch v.Op {
	case ir.OpLoad:
		if v.Type == ir.Ptr {
			e.loaded(v, v.Args[0])
		}
	case ir.OpStore:
		if q := v.Args[1]; q.Type == ir.Ptr {
			e.stored(v.Args[0], q)
		}
	case ir.OpMove, ir.OpMoveN:
		dst, src := v.Args[0], v.Args[1]
		if !e.known[e.of(dst)] {
			e.add(src.ID, leakInner)
		}
		e.link(dst.ID, src.ID, leakInner, leakInner)
		e.link(dst.ID, src.ID, retInner, retInner)
	case ir.OpCall:
		e.call(v, v.Args, e.in.paramLeaks(v.Fn))
	case ir.OpCallClosure:
		e.callValue(v.Args[0])
		if g := e.clo.target(v.Args[0]); g != nil && g.Sig.Equal(v.Sig) {
			e.call(v, v.Args[1:], e.in.paramLeaks(g))
			return
		}
		e.call(v, v.Args[1:], nil)
	case ir.OpCallIndex:
		if g := knownIndex(e.m, v.Args[0]); g != nil && g.Sig.Equal(v.Sig) {
			e.call(v, v.Args[1:], e.in.paramLeaks(g))
			return
		}
		e.call(v, v.Args[1:], nil)
	case ir.OpHost:
		if !hostKeepsNothing(e.m, v) {
			e.call(v, v.Args, nil)
		}
	case ir.OpBitcast:
		// integers and floats only
	}
}

// hostKeepsNothing lists the host functions that only read or fill the memory
// that they are given.
func hostKeepsNothing(m *ir.Module, v *ir.Value) bool {
	if v.Aux < 0 || v.Aux >= int64(len(m.Hosts)) {
		return false
	}
	switch m.Hosts[v.Aux].Name {
	case "write", "pcname", "pcfile", "callers", "args", "environ", "memstats":
		return true
	}
	return false
}

// loaded links a pointer to what it was loaded from.
func (e *escaper) loaded(v, from *ir.Value) {
	e.link(v.ID, from.ID, leakAddr|leakInner|calledFunc, leakInner)
	e.link(v.ID, from.ID, retAddr|retInner, retInner)
}

// stored links a pointer to where it is stored.
func (e *escaper) stored(p, q *ir.Value) {
	if !e.known[e.of(p)] {
		e.add(q.ID, leakAddr)
		return
	}
	e.link(p.ID, q.ID, leakInner, leakAddr)
	e.link(p.ID, q.ID, retInner, retAddr)
}

// call applies what a callee does to its arguments; nil: anything.
func (e *escaper) call(v *ir.Value, args []*ir.Value, params []leak) {
	for i, a := range args {
		if a.Type != ir.Ptr {
			continue
		}
		if params == nil {
			e.add(a.ID, leakAddr)
			continue
		}
		l := params[i]
		e.add(a.ID, l&(leakAddr|leakInner))
		if l&calledFunc != 0 {
			e.callValue(a)
		}
		if l&(retAddr|retInner) != 0 {
			e.results(v, func(r *ir.Value) {
				if l&retAddr != 0 {
					e.link(r.ID, a.ID, leakAddr, leakAddr)
					e.link(r.ID, a.ID, leakInner, leakInner)
					e.link(r.ID, a.ID, retAddr, retAddr)
					e.link(r.ID, a.ID, retInner, retInner)
					e.link(r.ID, a.ID, calledFunc, calledFunc)
				}
				if l&retInner != 0 {
					e.loaded(r, a)
				}
			})
		}
	}
}

// results calls fn for every pointer that a call returns.
func (e *escaper) results(call *ir.Value, fn func(*ir.Value)) {
	if call.Type == ir.Ptr {
		fn(call)
	}
	if len(call.Sig.Results) < 2 {
		return
	}
	b := call.Block
	for i := e.placeOf(call) + 1; i < len(b.Values) && b.Values[i].Op == ir.OpResult; i++ {
		if r := b.Values[i]; r.Type == ir.Ptr {
			fn(r)
		}
	}
}

// placeOf finds a call in its block. Blocks of many calls make the search from
// the start slow, so it goes on from the last place.
func (e *escaper) placeOf(call *ir.Value) int {
	b := call.Block
	for i := 0; i < len(b.Values); i++ {
		if b.Values[i] == call {
			return i
		}
	}
	return len(b.Values)
}

// callValue says that a function value is called: here or by somebody to whom
// it was passed. The value must not be kept by its own function, and for a
// parameter that is the business of whoever made it.
func (e *escaper) callValue(p *ir.Value) {
	e.add(p.ID, calledFunc)
}

// calledClosures adds what the functions of closures made here do with the
// closure when they are called. It reports whether anything changed.
func (e *escaper) calledClosures() {
	for _, b := range e.f.Blocks {
		for _, v := range b.Values {
			if v.Op != ir.OpNew && v.Op != ir.OpLocalAddr || e.leaks[e.of(v)]&calledFunc == 0 {
				continue
			}
			g := e.clo.target(v)
			if g == nil {
				e.add(v.ID, leakAddr)
				continue
			}
			// What the function returns of its closure goes to a caller that is
			// not known here.
			l := e.in.closureLeak(g)
			if l&retAddr != 0 {
				l |= leakAddr
			}
			if l&retInner != 0 {
				l |= leakInner
			}
			if l&calledFunc != 0 {
				l |= leakInner
			}
			e.add(v.ID, l&(leakAddr|leakInner))
		}
	}
	e.propagate()
}

// summary computes the leaks of f's parameters and closure.
func (e *escaper) summary() (params []leak, closure leak) {
	params = make([]leak, len(e.f.Sig.Params))
	for _, v := range e.f.Entry.Values {
		switch v.Op {
		case ir.OpArg:
			if v.Type == ir.Ptr {
				params[v.Aux] |= e.leaks[e.of(v)]
			}
		case ir.OpClosure:
			closure |= e.leaks[e.of(v)]
		}
	}
	return params, closure
}

// paramLeaks returns a function's summary, nil if nothing is known of it.
func (in *inliner) paramLeaks(g *ir.Func) []leak {
	if g == nil || int(g.Index) >= len(in.info) {
		return nil
	}
	return in.info[g.Index].params
}

func (in *inliner) closureLeak(g *ir.Func) leak {
	x := &in.info[g.Index]
	if x.params == nil {
		return leakAddr
	}
	return x.closure
}

// escapeSummaries computes the summaries of a component of the call graph: they
// start at nothing and grow until the members agree.
func (in *inliner) escapeSummaries(scc []*state) {
	for _, s := range scc {
		in.info[s.f.Index].params = make([]leak, len(s.f.Sig.Params))
		in.info[s.f.Index].closure = 0
	}
	for changed := true; changed; {
		changed = false
		for _, s := range scc {
			e := newEscaper(s, in)
			e.analyse()
			e.calledClosures()
			params, closure := e.summary()
			x := &in.info[s.f.Index]
			for i, l := range params {
				if l != x.params[i] {
					x.params[i] = l
					changed = true
				}
			}
			if closure != x.closure {
				x.closure = closure
				changed = true
			}
		}
		if len(scc) == 1 && !callsItself(scc[0].f) {
			break
		}
	}
}

// callsItself reports whether f calls itself or makes closures of itself.
func callsItself(f *ir.Func) bool {
	for _, g := range callees(f) {
		if g == f {
			return true
		}
	}
	return false
}

// moveToFrame turns the allocations of f that do not escape into locals.
func (in *inliner) moveToFrame(s *state) {
	any := false
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			any = any || v.Op == ir.OpNew || v.Op == ir.OpNewArray
		}
	}
	if !any {
		return
	}
	e := newEscaper(s, in)
	e.analyse()
	e.calledClosures()
	frame := localBytes(s.f)
	var move []*ir.Value
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if v.Op != ir.OpNew && v.Op != ir.OpNewArray || e.leaks[e.of(v)]&(leakAddr|retAddr) != 0 {
				continue
			}
			size, ok := objectSize(v)
			if !ok || size > maxStackObject || frame+size > maxStackFrame {
				continue
			}
			if !e.diesInRound(v) {
				continue
			}
			frame += size
			move = append(move, v)
		}
	}
	if len(move) == 0 {
		return
	}
	s.changed = true
	chosen := make([]bool, s.f.NumValues())
	for _, v := range move {
		chosen[v.ID] = true
	}
	var ins inserter
	for _, b := range s.f.Blocks {
		found := false
		for _, v := range b.Values {
			found = found || chosen[v.ID]
		}
		if !found {
			continue
		}
		ins.start(b)
		for _, v := range b.Values {
			ins.add(v)
			if int(v.ID) >= len(chosen) || !chosen[v.ID] {
				continue
			}
			size, _ := objectSize(v)
			n := s.f.AddLocal(ir.Local{Name: fmt.Sprintf("new%d", len(s.f.Locals)), Size: size, Align: 8, Ptrs: objectPtrs(s.m, v.Aux, size)})
			v.Op, v.Aux, v.Aux2, v.Args = ir.OpLocalAddr, n, 0, nil
			if size > 0 {
				c := s.f.NewValue(ir.OpClear, ir.Void, v)
				c.Aux = size
				c.Pos = v.Pos
				ins.add(c)
			}
		}
		ins.finish()
	}
}

// objectSize is the size of an allocation in bytes, if it is constant.
func objectSize(v *ir.Value) (int64, bool) {
	if v.Op == ir.OpNew {
		return v.Aux2, true
	}
	n := v.Args[0]
	if n.Op != ir.OpConst || n.Aux < 0 || n.Aux > maxStackObject || v.Aux2 > maxStackObject {
		return 0, false
	}
	return n.Aux * v.Aux2, true
}

// objectPtrs is the pointer map of an object: its layout, repeated.
func objectPtrs(m *ir.Module, layout, size int64) []uint64 {
	l := &m.Layouts[layout]
	if len(l.Ptrs) == 0 || l.Size == 0 {
		return nil
	}
	words := int(size / 8)
	elem := int(l.Size / 8)
	ptrs := make([]uint64, (words+63)/64)
	for w := 0; w < words; w++ {
		if k := w % elem; k/64 < len(l.Ptrs) && l.Ptrs[k/64]>>uint(k%64)&1 != 0 {
			ptrs[w/64] |= 1 << uint(w%64)
		}
	}
	return ptrs
}

// diesInRound reports whether an object that is made in a loop is dead before
// it is made again: then one local serves for all rounds.
func (e *escaper) diesInRound(v *ir.Value) bool {
	ls := e.Loops()
	lp := ls.Of(v.Block)
	if lp == nil && !ls.Irreducible {
		return true
	}
	if ls.Irreducible {
		return false
	}
	if e.alias == nil {
		e.followMemory()
	}
	return e.diesIn(v, lp, map[int32]bool{})
}

// diesIn checks that no phi of the loop's header, or of one around it, can hold
// the object, and that every object in which its address is kept is made anew
// in each round too.
func (e *escaper) diesIn(v *ir.Value, lp *ir.Loop, seen map[int32]bool) bool {
	c := find(e.alias, v.ID)
	if seen[c] {
		return true
	}
	seen[c] = true
	for x := lp; x != nil; x = x.Parent {
		for _, phi := range x.Header.Phis() {
			if phi.Type == ir.Ptr && find(e.alias, phi.ID) == c {
				return false
			}
		}
	}
	ls := e.Loops()
	for _, holder := range e.within[c] {
		// Every object of the holder's class.
		for _, b := range e.f.Blocks {
			for _, o := range b.Values {
				if (o.Op == ir.OpNew || o.Op == ir.OpNewArray || o.Op == ir.OpLocalAddr) && find(e.alias, o.ID) == holder {
					if o.Op == ir.OpLocalAddr || !ls.Contains(lp, b) {
						return false
					}
					if !e.diesIn(o, lp, seen) {
						return false
					}
				}
			}
		}
	}
	return true
}

// followMemory makes the second partition.
func (e *escaper) followMemory() {
	n := len(e.class)
	e.alias = make([]int32, n, 2*n)
	e.content = make([]int32, n, 2*n)
	for i := range e.alias {
		e.alias[i] = find(e.class, int32(i))
		e.content[i] = -1
	}
	stored := func(p, q int32) { e.merge(e.behind(p), q) }
	for _, b := range e.f.Blocks {
		for _, v := range b.Values {
			switch v.Op {
			case ir.OpLoad:
				if v.Type == ir.Ptr {
					stored(v.Args[0].ID, v.ID)
				}
			case ir.OpStore:
				if v.Args[1].Type == ir.Ptr {
					stored(v.Args[0].ID, v.Args[1].ID)
				}
			case ir.OpMove, ir.OpMoveN:
				e.merge(e.behind(v.Args[0].ID), e.behind(v.Args[1].ID))
			case ir.OpCall, ir.OpCallClosure, ir.OpCallIndex, ir.OpHost:
				// A callee may return an argument or what is behind it, and move
				// pointers from what is behind one argument to another.
				var first int32 = -1
				for _, a := range v.Args {
					if a.Type != ir.Ptr {
						continue
					}
					if first < 0 {
						first = e.behind(a.ID)
					} else {
						e.merge(first, e.behind(a.ID))
					}
				}
				if first < 0 {
					continue
				}
				args := v.Args
				var params []leak
				if v.Op == ir.OpCall {
					params = e.in.paramLeaks(v.Fn)
				}
				e.results(v, func(r *ir.Value) {
					for i, a := range args {
						if a.Type != ir.Ptr {
							continue
						}
						if params == nil || params[i]&retAddr != 0 {
							e.merge(r.ID, a.ID)
						}
						if params == nil || params[i]&retInner != 0 {
							e.merge(r.ID, e.behind(a.ID))
						}
					}
				})
			}
		}
	}
	// within[c]: the classes behind which c stands.
	e.within = map[int32][]int32{}
	for i := range e.alias {
		r := find(e.alias, int32(i))
		if r != int32(i) || e.content[r] < 0 {
			continue
		}
		c := find(e.alias, e.content[r])
		e.within[c] = append(e.within[c], r)
	}
}

// behind returns the class of what is stored behind a pointer.
func (e *escaper) behind(x int32) int32 {
	x = find(e.alias, x)
	if e.content[x] < 0 {
		n := int32(len(e.alias))
		e.alias = append(e.alias, n)
		e.content = append(e.content, -1)
		e.content[x] = n
	}
	return find(e.alias, e.content[x])
}

// merge makes two classes one, and what is behind them.
func (e *escaper) merge(a, b int32) {
	for {
		a, b = find(e.alias, a), find(e.alias, b)
		if a == b {
			return
		}
		if a > b {
			a, b = b, a
		}
		e.alias[b] = a
		ca, cb := e.content[a], e.content[b]
		if ca < 0 {
			e.content[a] = cb
			return
		}
		if cb < 0 {
			return
		}
		a, b = ca, cb
	}
}
