package opt

import (
	"fmt"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

// The log records what passes decide, for `gyr disasm -why`. Without Options.Log it costs a pass
// one comparison of a flag at each decision.
//
// What a pass removes is found by comparing the function before and after it, so nothing is
// forgotten. The pass itself gives the reason, if that is more than the nature of the pass
// (state.because).

// An Event is a decision of a pass.
type Event struct {
	Pass  string
	Func  *ir.Func
	Kind  EventKind
	Pos   ir.Pos
	Value *ir.Value // the operation, which passes may have changed since
	What  string    // the operation as it was, or the callee
	Why   string
	At    *ir.Value // an operation that Why is about, nil: none
}

// An EventKind says what was decided.
type EventKind uint8

const (
	Removed    EventKind = iota // a check, a charge or an allocation went
	Kept                        // it could not be shown that a check always passes
	Inlined                     // a call
	NotInlined                  // a call
	Escapes                     // an allocation stays on the heap
)

// logging reports whether decisions about a function are logged.
func (c *Options) logging(f *ir.Func) bool {
	return c != nil && c.Log != nil && (c.Watch == nil || c.Watch(f))
}

// event logs a decision about an operation. Callers check s.log first, so that no text is made in
// vain.
func (s *state) event(pass string, kind EventKind, v *ir.Value, what, why string) {
	s.tell(Event{Pass: pass, Kind: kind, Value: v, What: what, Why: why})
}

func (s *state) tell(e Event) {
	e.Func, e.Pos = s.f, e.Value.Pos
	if s.told == nil {
		s.told = map[*ir.Value]bool{}
	}
	s.told[e.Value] = true
	s.cfg.Log(e)
}

// because notes the running pass's reason for removing v.
func (s *state) because(v *ir.Value, format string, args ...any) {
	if s.log {
		s.reasons[v] = fmt.Sprintf(format, args...)
	}
}

// logged selects the operations whose removal is logged.
func logged(v *ir.Value) bool {
	switch v.Op {
	case ir.OpNilCheck, ir.OpBounds, ir.OpCheck, ir.OpGas, ir.OpGasN, ir.OpGasLoop, ir.OpNew, ir.OpNewArray:
		return true
	}
	return false
}

// A census lists what a pass may remove.
type census []censusEntry

type censusEntry struct {
	v    *ir.Value
	op   ir.Op
	aux  int64
	b    *ir.Block
	text string
}

func (s *state) census() (c census) {
	s.reasons = map[*ir.Value]string{}
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if logged(v) {
				c = append(c, censusEntry{v, v.Op, v.Aux, b, v.LongString()})
			}
		}
	}
	return c
}

// removed logs what a pass removed since the census.
func (s *state) removed(pass string, c census) {
	there := map[*ir.Value]bool{}
	blocks := map[*ir.Block]bool{}
	for _, b := range s.f.Blocks {
		blocks[b] = true
		for _, v := range b.Values {
			there[v] = true
		}
	}
	for _, x := range c {
		gas := x.op == ir.OpGasN && x.v.Op == ir.OpGas // of a constant number
		if there[x.v] && (x.v.Op == x.op || gas) {
			continue
		}
		why, ok := s.reasons[x.v]
		switch {
		case ok:
		case !there[x.v] && !blocks[x.b]:
			why = "its block is not reached"
		default:
			why = passReason[pass]
		}
		if why == "" {
			why = "by the pass's nature"
		}
		s.event(pass, Removed, x.v, x.text, why)
	}
}

// passReason is the reason for a pass's removals when it gives no other.
var passReason = map[string]string{
	"sroa":        "its object is a local that became SSA values",
	"early-graph": "it stands where control does not get to",
	"graph":       "it stands where control does not get to",
	"early-dce":   "nobody uses its result",
	"dce":         "nobody uses its result",
	"escape":      "the object does not escape: it lives in the frame",
	"gas":         "joined with the charge of the same line in its block",
	"noreturn":    "it stood behind a call that never returns",
	"bytestring":  "the copy of the bytes is not needed",
	"concat":      "one concatenation makes the whole string",
	"inline":      "it stands where control does not get to",
	"hoist":       "the same one stands before the loop",
	"zeros":       "the memory is cleared instead",
}

// # Inlining

// whyNot says why calls of g are never inlined.
func (in *inliner) whyNot(g *ir.Func) string {
	x := in.about(g)
	g = in.body(g)
	flag := func(f ir.FuncFlags, text string) string {
		if g.Flags&f != 0 {
			return text
		}
		return ""
	}
	switch {
	case g.Entry == nil:
		return "it has no body"
	case !x.done:
		return "it is part of a recursion"
	case x.cost > inlineCostOnce:
		return fmt.Sprintf("its cost is %d, more than %d", x.cost, inlineCostOnce)
	case x.values > inlineValues:
		return fmt.Sprintf("it has %d values, more than %d", x.values, inlineValues)
	case localBytes(g) > inlineLocals:
		return fmt.Sprintf("its locals take %d bytes, more than %d", localBytes(g), inlineLocals)
	case g.Recover != nil:
		return "it recovers"
	case in.keep[g]:
		return "passes recognise calls of it"
	}
	for _, why := range []string{
		flag(ir.NoInline, "it is marked noinline"), flag(ir.HasDefer, "it defers"), flag(ir.HasRecover, "it calls recover"),
		flag(ir.NoReturn, "it never returns"), flag(ir.MakeFuncStub, "it is made by reflection"),
		flag(ir.NoEscape, "it is marked noescape"),
	} {
		if why != "" {
			return why
		}
	}
	for _, b := range g.Blocks {
		for _, v := range b.Values {
			switch {
			case v.Op == ir.OpFrameID || v.Op == ir.OpUnwind:
				return "it asks for its frame"
			case v.Op == ir.OpCall && v.Fn == g:
				return "it calls itself"
			case (v.Op == ir.OpCallClosure || v.Op == ir.OpCallIndex) && g.Flags&(ir.Runtime|ir.NoPreempt) != 0:
				return "it is the runtime's and calls guest code"
			}
		}
	}
	return "it is part of a recursion"
}

// logCalls logs the calls of a function in its final form that were not decided here: they came
// with a body, or their target became known late.
func (in *inliner) logCalls(s *state) {
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if v.Op != ir.OpCall || s.told[v] {
				continue
			}
			why := "its target became known when calls had been decided"
			switch x := in.about(v.Fn); {
			case v.Fn == s.f:
				why = "it calls itself"
			case !x.done || !x.inlinable:
				why = in.whyNot(v.Fn)
			case x.cost > inlineCost:
				why = tooDear(x, inlineCost, false, 0)
			case x.cost > inlineCostCold:
				why = tooDear(x, inlineCostCold, true, 0)
			}
			s.event("inline", NotInlined, v, v.Fn.Name, why)
		}
	}
}

// tooDear says why a call that could be inlined is not.
func tooDear(x *funcInfo, limit int, cold bool, size int) string {
	switch {
	case x.cost <= limit:
		return "the caller or the module has too many values"
	case limit != inlineCostCold:
		return fmt.Sprintf("its cost is %d, more than %d", x.cost, limit)
	case cold:
		return fmt.Sprintf("its cost is %d, more than %d on the way to a panic", x.cost, limit)
	case size > inlineCallerSize:
		return fmt.Sprintf("its cost is %d, more than %d in a caller of %d operations", x.cost, limit, size)
	}
	return fmt.Sprintf("its cost is %d, more than %d when the caller's budget is used up", x.cost, limit)
}

// # Checks

// alwaysPasses says why a check needs no facts.
func alwaysPasses(v *ir.Value) string {
	switch v.Op {
	case ir.OpNilCheck:
		return fmt.Sprintf("%s is an address (%s)", v.Args[0], made(v.Args[0]))
	case ir.OpBounds:
		return fmt.Sprintf("%s is below %d whatever it is (%s)", v.Args[0], v.Args[1].Aux, made(v.Args[0]))
	}
	return "its condition is true"
}

// knownText describes prove's facts about an integer at the current place.
func (p *prover) knownText(x *ir.Value) string {
	x = origin(x)
	if x.Op == ir.OpConst {
		return fmt.Sprint(x.Aux)
	}
	var b strings.Builder
	b.WriteString(x.String())
	if p.has(x) && isInt(x) {
		lo, hi := p.lo(x), p.hi(x)
		switch all := minOf(x.Type); {
		case lo == hi:
			fmt.Fprintf(&b, " = %d", lo)
		case lo == all && hi == maxOf(x.Type):
		case lo == all:
			fmt.Fprintf(&b, " ≤ %d", hi)
		case hi == maxOf(x.Type):
			fmt.Fprintf(&b, " ≥ %d", lo)
		default:
			fmt.Fprintf(&b, " in [%d, %d]", lo, hi)
		}
		n := 0
		for i := p.head[x.ID]; i != 0 && n < 3; i = p.facts[i-1].next {
			f := &p.facts[i-1]
			fmt.Fprintf(&b, ", ≤ %s%s", f.to, plus(f.c))
			n++
		}
	}
	fmt.Fprintf(&b, " (%s)", made(x))
	return b.String()
}

func plus(c int64) string {
	if c == 0 {
		return ""
	}
	return fmt.Sprintf("%+d", c)
}

// made says where a value comes from.
func made(x *ir.Value) string {
	switch x.Op {
	case ir.OpArg:
		return "a parameter"
	case ir.OpLoad:
		return "loaded from memory"
	case ir.OpCall:
		return "result of " + x.Fn.Name
	case ir.OpCallClosure, ir.OpCallIndex:
		return "result of a call"
	case ir.OpResult:
		return "result of a call"
	case ir.OpPhi:
		return x.LongString()
	}
	return x.LongString()
}

// keptBecause says what prove could not show about a check.
func (p *prover) keptBecause(v *ir.Value) string {
	switch v.Op {
	case ir.OpNilCheck:
		x := addressRoot(v.Args[0])
		if x.Op == ir.OpPhi {
			for _, a := range x.Args {
				if a != x && !p.notNil(a) {
					return fmt.Sprintf("not shown: %s is not nil: %s; %s may be (%s)", x, made(x), a, made(a))
				}
			}
		}
		return fmt.Sprintf("not shown: %s is not nil: %s", x, made(x))
	case ir.OpBounds:
		i, n := v.Args[0], v.Args[1]
		var missing []string
		if !p.atLeastZero(i) {
			missing = append(missing, fmt.Sprintf("0 ≤ %s", i))
		}
		if !p.less(i, n, -1) {
			missing = append(missing, fmt.Sprintf("%s < %s", i, n))
		}
		return fmt.Sprintf("not shown: %s; known: %s; %s", strings.Join(missing, " and "), p.knownText(i), p.knownText(n))
	}
	return fmt.Sprintf("not shown: %s", p.condition(v.Args[0]))
}

// condition returns a comparison with the facts about its operands.
func (p *prover) condition(c *ir.Value) string {
	var known []string
	for _, a := range c.Args {
		if isInt(a) {
			known = append(known, p.knownText(a))
		}
	}
	text := c.LongString()
	if len(known) > 0 {
		text += "; known: " + strings.Join(known, "; ")
	}
	return text
}

// shown says which facts show that a check passes.
func (p *prover) shown(v *ir.Value) string {
	switch v.Op {
	case ir.OpNilCheck:
		x := v.Args[0]
		for {
			if nonNil(x) {
				return fmt.Sprintf("%s is an address (%s)", x, made(x))
			}
			if p.has(x) && p.nonNil[x.ID] || x.Op != ir.OpPtrAdd && x.Op != ir.OpPtrIdx {
				return fmt.Sprintf("%s was checked or compared on the way", x)
			}
			x = x.Args[0]
		}
	case ir.OpBounds:
		return fmt.Sprintf("0 ≤ %s < %s from %s; %s", v.Args[0], v.Args[1], p.knownText(v.Args[0]), p.knownText(v.Args[1]))
	}
	return "always true: " + p.condition(v.Args[0])
}

// # Escapes

// A seed is an operation that makes a pointer outlive its function by itself.
type seed struct {
	class int32
	l     leak
	at    *ir.Value // nil: the function's return
}

// blame says why an object escapes: the operation from which the leak flows to it.
func (e *escaper) blame(v *ir.Value) (why string, at *ir.Value) {
	type want struct {
		class int32
		bits  leak
	}
	start := want{e.of(v), e.what(v) & (leakAddr | retAddr)}
	seen := map[want]bool{start: true}
	work := []want{start}
	into := map[int32][]flow{} // to: the class that it comes from
	for from, h := range e.heads {
		for i := h; i != 0; i = e.flows[i-1].next {
			f := e.flows[i-1]
			into[f.to] = append(into[f.to], flow{to: int32(from), kind: f.kind})
		}
	}
	for len(work) > 0 {
		w := work[0]
		work = work[1:]
		for _, s := range e.seeds {
			if find(e.class, s.class) == w.class && s.l.closed()&w.bits != 0 {
				return seedText(s.at), s.at
			}
		}
		for _, f := range into[w.class] {
			bits := leak(0)
			for l := leak(1); l < numLeaks; l <<= 1 {
				if e.leaks[f.to]&l != 0 && l.through(f.kind).closed()&w.bits != 0 {
					bits |= l
				}
			}
			if n := (want{f.to, bits}); bits != 0 && !seen[n] {
				seen[n] = true
				work = append(work, n)
			}
		}
	}
	return "its address outlives the function", nil
}

func seedText(at *ir.Value) string {
	if at == nil {
		return "it is returned"
	}
	switch at.Op {
	case ir.OpStore, ir.OpMove, ir.OpMoveN:
		return "it is stored where it can outlive the function"
	case ir.OpCall:
		return at.Fn.Name + " may keep it"
	case ir.OpCallClosure:
		return "it is passed to a function value that is not known"
	case ir.OpCallIndex:
		return "it is passed to a method that is not known"
	case ir.OpHost:
		return "it is passed to the host"
	case ir.OpNew, ir.OpLocalAddr:
		return "a closure that holds it is called by somebody unknown"
	}
	return "it goes into an operation that the analysis does not follow"
}

// logEscapes tells which allocations stay on the heap; moved are those that do not.
func (in *inliner) logEscapes(s *state, moved []*ir.Value) {
	e := s.escape
	in.eachHeapObject(s.f, moved, func(v *ir.Value) {
		size, known := in.frameSize(v)
		why, at := "", (*ir.Value)(nil)
		switch {
		case e.what(v)&(leakAddr|retAddr) != 0:
			why, at = e.blame(v)
		case !known:
			why = "its size is not known"
		case size > maxStackObject:
			why = fmt.Sprintf("it is larger than %d bytes", maxStackObject)
		case !e.diesInRound(v):
			why = "it is made in a loop and may live on when it is made again"
		default:
			why = fmt.Sprintf("the frame would be larger than %d bytes", maxStackFrame)
		}
		s.tell(Event{Pass: "escape", Kind: Escapes, Value: v, What: v.LongString(), Why: why, At: at})
	})
}

// eachHeapObject calls fn for the allocations of f that are not in the list.
func (in *inliner) eachHeapObject(f *ir.Func, but []*ir.Value, fn func(*ir.Value)) {
	skip := map[*ir.Value]bool{}
	for _, v := range but {
		skip[v] = true
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if in.makes(v) && !skip[v] {
				fn(v)
			}
		}
	}
}
