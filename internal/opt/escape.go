package opt

import (
	"github.com/gyrvm/gyr/internal/ir"
)

// Escape analysis finds what happens to pointers: whether an object can be
// reached when its function has returned, whether its memory is written, whether a
// function value is called. frame.go moves objects that do not escape into the
// function's locals.
//
// Pointers that are copies of one another (through phis, selects and address arithmetic) form a
// class. What happens to a class is a set of leaks; it flows backwards along loads, stores, moves
// and calls until nothing changes. The contents of an object are one: a load from it may give any
// pointer that was stored into it. Leaks distinguish the address itself, the addresses stored in
// its object, and those in their objects: a capture by value in a closure is two loads away from
// the closure. A store into unknown memory (a parameter's, a global, loaded memory) leaks the
// pointer. A pointer stored in the object of a result differs from a returned one: the caller may
// load it from the result. Callees have summaries of what they do to their parameters, computed
// bottom-up; the members of a recursion are iterated to a fixed point.
//
// An address that goes through an integer stays the object's: anything computed from it within the
// function belongs to its class, and so does a pointer made of it. Integers that are stored, passed
// or returned are not followed, since package unsafe gives no meaning to turning them back. The
// exclusive or with zero hides an address on purpose: that is how std (internal/abi.NoEscape)
// promises that nothing escapes by it. Other packages copied the trick and rely on what gc does not
// see; lowering drops it there. A function that is declared go:noescape promises the same about its
// address arguments.

// A leak is a set of possible fates of a pointer.
type leak uint16

const (
	leakAddr     leak = 1 << iota // the address outlives the function
	leakInner                     // an address stored in its object does
	leakDeep                      // an address reached from such an address does, at any depth
	retAddr                       // the address may be in a result
	retInner                      // an address stored in its object may be in a result
	retDeep                       // an address reached from such an address may be, at any depth
	calledFunc                    // it is a function value and is called
	calledInner                   // a function value reached from it, at any depth, is called
	written                       // memory at the address is written
	writtenInner                  // memory at an address reached from it, at any depth, is written
	heldAddr                      // the address may be stored in a result's object, at any depth
	heldInner                     // an address reached from it, at any depth, may be stored in a result's object

	retShift = 3 // from a ret bit to its leak bit

	numLeaks = 1 << 12

	leakAny  = leakAddr | leakInner | leakDeep
	retPlain = retAddr | retInner | retDeep
	heldAny  = heldAddr | heldInner
	retAny   = retPlain | heldAny
)

// closed completes a set: an address reaches what it points to.
func (l leak) closed() leak {
	if l&heldAddr != 0 {
		l |= heldInner
	}
	if l&leakAddr != 0 {
		l |= leakInner
	}
	if l&leakInner != 0 {
		l |= leakDeep
	}
	if l&retAddr != 0 {
		l |= retInner
	}
	if l&retInner != 0 {
		l |= retDeep
	}
	return l
}

// A flowKind says how leaks of one class become leaks of another.
type flowKind uint8

const (
	flowSame      flowKind = iota // the target is the source
	flowLoad                      // the source was loaded from the target
	flowLoad2                     // the source was loaded from an object reached from the target, at any depth
	flowStore                     // the target was stored in the source's object
	flowMove                      // the target's object was copied into the source's object
	flowHeld                      // the target was stored in an object reached from the source, at any depth
	flowHeldInner                 // so was an address reached from the target, at any depth
	numFlows
)

// flowTable has the leaks of a flow's target, by kind and half of the source's leaks: a set gives
// the union of what its members give.
var flowTable = func() (t [numFlows][2][1 << halfLeaks]leak) {
	for k := range t {
		for l := range t[k][0] {
			t[k][0][l] = leak(l).through(flowKind(k))
			t[k][1][l] = (leak(l) << halfLeaks).through(flowKind(k))
		}
	}
	return t
}()

const halfLeaks = 6

func (k flowKind) target(source leak) leak {
	return flowTable[k][0][source%(1<<halfLeaks)] | flowTable[k][1][source>>halfLeaks]
}

// through returns the leaks of a flow's target.
func (l leak) through(k flowKind) leak {
	has := func(in, out leak) leak {
		if l&in != 0 {
			return out
		}
		return 0
	}
	switch k {
	case flowLoad:
		return has(leakAddr, leakInner) | has(leakInner|leakDeep, leakDeep) |
			has(retAddr, retInner) | has(retInner|retDeep, retDeep) | has(heldAny, heldInner) |
			has(calledFunc|calledInner, calledInner) | has(written|writtenInner, writtenInner)
	case flowLoad2:
		return has(leakAny, leakDeep) | has(retPlain, retDeep) | has(heldAny, heldInner) |
			has(calledFunc|calledInner, calledInner) | has(written|writtenInner, writtenInner)
	case flowStore:
		return has(leakInner, leakAddr) | has(leakDeep, leakInner) |
			has(retInner, retAddr) | has(retDeep, retInner) | has(retAddr|heldAny, heldAddr) |
			has(calledInner, calledFunc|calledInner) | has(writtenInner, written|writtenInner)
	case flowMove:
		return l&(leakInner|leakDeep|retInner|retDeep|calledInner|writtenInner) | has(retAddr|heldAny, heldInner)
	case flowHeld:
		// A called result may be a closure made in the callee: what it does with its
		// contents is unknown.
		return has(leakAny|calledFunc|calledInner, leakAddr) | has(retPlain, retAddr) | has(retAny, heldAddr) |
			has(writtenInner, written|writtenInner)
	case flowHeldInner:
		return has(leakAny|calledFunc|calledInner, leakInner) | has(retPlain, retInner) | has(retAny, heldInner) |
			has(writtenInner, writtenInner)
	}
	return l
}

// A flow carries leaks from one class to another.
type flow struct {
	to   int32
	kind flowKind
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
	calls  bool // some class is called

	at    *ir.Value // with a log: the current operation, nil for returns
	seeds []seed

	address  []bool      // by value ID: an integer that is computed from an address
	deferred []*ir.Value // function values that are called when the function returns

	// The second partition follows pointers through memory as well; see frame.go.
	alias   []int32
	content []int32 // by root: class of the addresses stored in the object, -1: none yet
	within  map[int32][]int32
}

func newEscaper(s *state, in *inliner) *escaper {
	n := s.f.NumValues() + len(s.f.Locals)
	e := &escaper{state: s, in: in, class: make([]int32, n), leaks: make([]leak, n), known: make([]bool, n),
		heads: make([]int32, n), queued: make([]bool, n)}
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

// what returns the leaks of a pointer, after analyse.
func (e *escaper) what(v *ir.Value) leak { return e.leaks[e.of(v)] }

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

// followIntegers puts the integers that are computed from addresses into the classes of these.
func (e *escaper) followIntegers() {
	e.address = make([]bool, e.f.NumValues())
	for again := true; again; {
		again = false
		for _, b := range e.f.Blocks {
			for _, v := range b.Values {
				if v.Op != ir.OpPtrToInt && !carriesAddress(v) {
					continue
				}
				for _, a := range v.Args {
					if (v.Op == ir.OpPtrToInt || e.address[a.ID]) && e.of(a) != e.of(v) {
						e.join(v.ID, a.ID)
						e.address[v.ID] = true
						again = true
					}
				}
			}
		}
	}
}

// losesAddress are the operations on integers after which no address is left.
var losesAddress = [ir.NumOps]bool{
	ir.OpShrS: true, ir.OpMulHiU: true, ir.OpMulHiS: true, ir.OpBswap: true,
}

// carriesAddress reports whether an integer operation on an address can give an address again: by
// class, all integer computations except those above. Among the operations on one address, only
// sums are sure to stay within its object; see unify.
func carriesAddress(v *ir.Value) bool {
	if v.Type != ir.I64 && v.Type != ir.I32 || losesAddress[v.Op] {
		return false
	}
	switch v.Op.Class() {
	case ir.ClassArithmetic, ir.ClassShift, ir.ClassSelection:
		return v.Op != ir.OpXor || !v.Args[1].IsConst(0)
	case ir.ClassConversion:
		return v.Op != ir.OpPtrToInt
	}
	return v.Op == ir.OpPhi || v.Op == ir.OpCopy || v.Op == ir.OpOpaque
}

// inside reports whether an integer is an address within the object that it was computed from: a
// sum of it, or one of several of those.
func (e *escaper) inside(x *ir.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch x.Op {
	case ir.OpPtrToInt:
		return true
	case ir.OpAdd:
		return e.address[x.Args[0].ID] != e.address[x.Args[1].ID] &&
			(e.inside(x.Args[0], depth-1) || e.inside(x.Args[1], depth-1))
	case ir.OpSub, ir.OpAnd, ir.OpAndNot:
		return !e.address[x.Args[1].ID] && e.inside(x.Args[0], depth-1)
	case ir.OpSelect:
		return e.inside(x.Args[1], depth-1) && e.inside(x.Args[2], depth-1)
	case ir.OpPhi:
		for _, a := range x.Args {
			if !a.IsConst(0) && !e.inside(a, depth-1) {
				return false
			}
		}
		return true
	case ir.OpCopy:
		return e.inside(x.Args[0], depth-1)
	}
	return false
}

func (e *escaper) localNode(n int64) int32 { return int32(e.f.NumValues() + int(n)) }

// makes reports whether an operation makes an object.
func (in *inliner) makes(v *ir.Value) bool {
	return v.Op == ir.OpNew || v.Op == ir.OpNewArray || v.Op == ir.OpCall && in.makers[v.Fn] != nil
}

// unify makes the classes.
func (e *escaper) unify() {
	var integers bool
	var back []*ir.Value // addresses made of integers
	for _, b := range e.f.Blocks {
		for _, v := range b.Values {
			if v.Type != ir.Ptr {
				integers = integers || v.Op == ir.OpPtrToInt
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
			case ir.OpConst:
				if v.Aux != 0 {
					e.known[e.of(v)] = false
				}
			case ir.OpIntToPtr:
				back = append(back, v)
			default:
				if !e.in.makes(v) {
					e.known[e.of(v)] = false
				}
			}
		}
	}
	if integers && len(back) > 0 {
		e.followIntegers()
	}
	for _, v := range back {
		x := v.Args[0]
		if e.address != nil && e.address[x.ID] {
			e.join(v.ID, x.ID)
			if e.inside(x, 8) {
				continue
			}
		}
		e.known[e.of(v)] = false
	}
}

// link adds a flow between classes.
func (e *escaper) link(from, to *ir.Value, kind flowKind) {
	a, b := e.of(from), e.of(to)
	e.flows = append(e.flows, flow{b, kind, e.heads[a]})
	e.heads[a] = int32(len(e.flows))
}

// add gives a class leaks.
func (e *escaper) add(v *ir.Value, l leak) {
	if e.log && l != 0 {
		e.seeds = append(e.seeds, seed{v.ID, l, e.at})
	}
	e.addClass(e.of(v), l)
}

func (e *escaper) addClass(c int32, l leak) {
	l = (l | e.leaks[c]).closed()
	if l == e.leaks[c] {
		return
	}
	e.leaks[c] = l
	e.calls = e.calls || l&calledFunc != 0
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
			f := &e.flows[i-1]
			if l := f.kind.target(e.leaks[c]); l != 0 {
				e.addClass(f.to, l)
			}
		}
	}
}

// analyse computes the leaks of all classes.
func (e *escaper) analyse() {
	e.unify()
	for _, b := range e.f.Blocks {
		for i, v := range b.Values {
			e.at = v
			e.effect(v, b.Values[i+1:])
		}
		e.at = nil
		for _, r := range b.Rets {
			if r.Type == ir.Ptr {
				e.add(r, retAddr)
			}
		}
	}
	e.propagate()
	e.calledClosures()
}

// effect says what an operation does to pointers; rest follows it in its block.
func (e *escaper) effect(v *ir.Value, rest []*ir.Value) {
	switch v.Op {
	case ir.OpLoad:
		if v.Type == ir.Ptr {
			e.link(v, v.Args[0], flowLoad)
		}
	case ir.OpStore:
		e.add(v.Args[0], written)
		if q := v.Args[1]; q.Type == ir.Ptr {
			e.stored(v.Args[0], q)
		}
	case ir.OpClear, ir.OpClearN:
		e.add(v.Args[0], written)
	case ir.OpOpaque:
		if v.Type == ir.Ptr {
			e.add(v.Args[0], leakAddr) // its fate is unknown
		}
	case ir.OpMove, ir.OpMoveN:
		dst, src := v.Args[0], v.Args[1]
		e.add(dst, written)
		if v.Aux2 != 0 {
			break // no pointers
		}
		if !e.known[e.of(dst)] {
			e.add(src, leakInner)
		}
		e.link(dst, src, flowMove)
	case ir.OpCall, ir.OpCallClosure, ir.OpCallIndex, ir.OpHost:
		if e.defers(v) {
			e.deferred = append(e.deferred, v.Args[1])
		}
		e.arguments(v, func(a *ir.Value, l leak) {
			e.add(a, l&^retAny)
			if l&retAny == 0 {
				return
			}
			eachResult(v, rest, func(r *ir.Value) {
				switch {
				case l&retAddr != 0:
					e.link(r, a, flowSame)
				case l&retInner != 0:
					e.link(r, a, flowLoad)
				case l&retDeep != 0:
					e.link(r, a, flowLoad2)
				}
				switch {
				case l&heldAddr != 0:
					e.link(r, a, flowHeld)
				case l&heldInner != 0:
					e.link(r, a, flowHeldInner)
				}
			})
		})
	}
}

// defers reports whether a call defers a function until this one returns. The
// body of a range-over-func loop defers for the function around it.
func (e *escaper) defers(v *ir.Value) bool {
	return v.Op == ir.OpCall && v.Fn == e.in.deferproc && v.Args[0].Op == ir.OpFrameID
}

// arguments calls fn for the addresses that a call passes, with what happens to them.
func (e *escaper) arguments(v *ir.Value, fn func(a *ir.Value, l leak)) {
	args := v.Args
	var params []leak
	switch v.Op {
	case ir.OpCall:
		if e.defers(v) {
			fn(v.Args[1], calledFunc)
			return
		}
		params = e.in.paramLeaks(v.Fn)
	case ir.OpCallClosure:
		args = v.Args[1:]
		if g := e.clo.target(v.Args[0]); g != nil && g.Sig.Equal(v.Sig) {
			fn(v.Args[0], e.in.closureLeak(g))
			params = e.in.paramLeaks(g)
		} else {
			fn(v.Args[0], calledFunc)
		}
	case ir.OpCallIndex:
		args = v.Args[1:]
		if g := knownIndex(e.m, v.Args[0]); g != nil && g.Sig.Equal(v.Sig) {
			params = e.in.paramLeaks(g)
		}
	case ir.OpHost:
		l := e.in.hostLeak(v)
		for _, a := range args {
			if a.Type == ir.Ptr {
				fn(a, l)
			}
		}
		return
	}
	for i, a := range args {
		switch {
		case a.Type != ir.Ptr:
		case params == nil:
			fn(a, leakAddr)
		default:
			fn(a, params[i])
		}
	}
}

// stored links a pointer to the place where it is stored.
func (e *escaper) stored(p, q *ir.Value) {
	switch {
	case e.known[e.of(p)]:
		e.link(p, q, flowStore)
	case !moved(p, q):
		e.add(q, leakAddr)
	}
}

// moved reports whether an address q that is stored at p was loaded from the same object, as in
// s.buf = s.buf[n:] and in x[i], x[j] = x[j], x[i]: the object's contents stay in it. It is one
// object if both are computed from one name.
func moved(p, q *ir.Value) bool {
	q = addressRoot(q)
	return q.Op == ir.OpLoad && addressRoot(q.Args[0]) == addressRoot(p)
}

// addressRoot returns the address that another was computed from.
func addressRoot(p *ir.Value) *ir.Value {
	for p.Op == ir.OpPtrAdd || p.Op == ir.OpPtrIdx || p.Op == ir.OpCopy {
		p = p.Args[0]
	}
	return p
}

// eachResult calls fn for every pointer that a call returns.
func eachResult(call *ir.Value, rest []*ir.Value, fn func(*ir.Value)) {
	if call.Type == ir.Ptr {
		fn(call)
	}
	for _, r := range rest {
		if r.Op != ir.OpResult {
			break
		}
		if r.Type == ir.Ptr {
			fn(r)
		}
	}
}

// hostLeaks says what happens to an address that a host function gets.
var hostLeaks = [...]leak{ir.ReadsMemory: 0, ir.WritesMemory: written, ir.ReturnsMemory: retAddr, ir.KeepsMemory: leakAddr}

func (in *inliner) hostLeak(v *ir.Value) leak {
	if v.Aux < 0 || v.Aux >= int64(len(in.m.Primitives)) {
		return leakAddr
	}
	return hostLeaks[in.m.Primitives[v.Aux].Info().Memory]
}

// calledClosures adds what the functions of closures made here do with the closure when an unknown
// caller calls them.
func (e *escaper) calledClosures() {
	for again := e.calls; again; {
		again = false
		for _, b := range e.f.Blocks {
			for _, v := range b.Values {
				if v.Op != ir.OpNew && v.Op != ir.OpLocalAddr || e.what(v)&calledFunc == 0 {
					continue
				}
				l := leakAddr
				if g := e.clo.target(v); g != nil {
					l = e.in.closureLeak(g)
				}
				// Parts of its closure that the function returns go to an unknown
				// caller.
				l |= (l & retPlain) >> retShift
				if l&heldAddr != 0 {
					l |= leakAddr
				}
				if l&heldInner != 0 {
					l |= leakInner
				}
				if l = (l&^retAny | e.what(v)).closed(); l != e.what(v) {
					e.at = v
					e.add(v, l)
					again = true
				}
			}
		}
		e.propagate()
	}
}

// summary computes the leaks of f's parameters and closure.
func (e *escaper) summary() (params []leak, closure leak) {
	params = make([]leak, len(e.f.Sig.Params))
	for _, v := range e.f.Entry.Values {
		switch v.Op {
		case ir.OpArg:
			if v.Type == ir.Ptr {
				params[v.Aux] |= e.what(v)
			}
		case ir.OpClosure:
			closure |= e.what(v)
		}
	}
	if e.f.Flags&ir.NoEscape != 0 {
		for i := range params {
			params[i] &^= leakAddr
		}
	}
	if l, ok := mapKeys[e.f.Name]; ok && e.f.Flags&ir.Runtime != 0 && len(params) > 2 {
		params[2] &= l.closed()
	}
	return params, closure
}

// mapKeys says what functions of the map package do to the key whose address is their third
// operand. They pass it to the functions for hashing and comparing of its type, which are found at
// run time and only read it.
var mapKeys = map[string]leak{
	"internal/runtime/maps.runtime_mapaccess1": 0,
	"internal/runtime/maps.runtime_mapaccess2": 0,
	"internal/runtime/maps.runtime_mapassign":  leakInner,
	"internal/runtime/maps.(*Map).Delete":      0,
}

// paramLeaks returns a function's summary, nil if it is unknown.
func (in *inliner) paramLeaks(g *ir.Func) []leak {
	if g == nil {
		return nil
	}
	return in.about(g).params
}

func (in *inliner) closureLeak(g *ir.Func) leak {
	x := in.about(g)
	if x.params == nil {
		return leakAddr
	}
	return x.closure
}

// escapeSummaries computes the summaries of a component of the call graph: they
// start at nothing and grow until the members agree.
func (in *inliner) escapeSummaries(scc []*state) {
	for _, s := range scc {
		x := in.about(s.f)
		x.params, x.closure = make([]leak, len(s.f.Sig.Params)), 0
	}
	for changed := true; changed; {
		changed = false
		for _, s := range scc {
			e := newEscaper(s, in)
			e.analyse()
			s.escape = e
			params, closure := e.summary()
			x := in.about(s.f)
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
