package proof

import (
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
)

// Reasons why the loop no longer executes an operation, as in record.Gone.
const (
	constant = "constant" // it was computed at compile time
	unused   = "unused"   // nothing needs it
	equal    = "equal"    // the same value exists already
	hoisted  = "hoisted"  // it is computed outside of the loop
	scalar   = "scalar"   // its memory became SSA values, or part of the frame
	inlined  = "inlined"  // it calls a function that executes nothing
	proved   = "proved"   // it is a check that always passes
)

// An op is an operation of the payload and its fate.
type op struct {
	v      *ir.Value // the value that stands for it now
	what   string
	pos    ir.Pos
	frames []frame // of pos, up to the loop's own
	level  int     // inlined calls between the loop's lines and it
	kind   kind
	class  ir.Class
	store  bool
	callee int32 // of a call: the index of the function, -1 if unknown
	used   bool  // something used its result when it came into the loop

	gone     bool
	pass     string
	reason   string
	why      string
	unread   bool // an allocation: nothing reads the object's content
	consumed bool // an unread allocation whose address the loop consumes as a result
	skipped  bool // control does not reach it
	empty    bool // a call of a declared function without a body
	before   bool // it was removed in a callee, before that was inlined
}

func (o *op) call() bool { return o.class == ir.ClassCall || o.class == ir.ClassHostCall }

// madeBy reports whether o came into the loop as part of the function that the call c executes.
func (o *op) madeBy(c *op) bool {
	n := len(o.frames) - len(c.frames)
	return n > 0 && slices.Equal(o.frames[n:], c.frames) && (c.callee < 0 || o.frames[n-1].fn == c.callee)
}

// A measured is a measured loop in a function of the IR. One without loop is a whole function of
// the benchmarks' package; it holds the operations that were removed there before the function is
// inlined.
type measured struct {
	f      *ir.Func
	loop   *Loop
	anchor *ir.Value // the charge at its header; nil for loops that the compiler makes
	ops    []*op
	own    map[*ir.Value]bool // operations of the loop itself
	lost   string             // why nothing can be said

	inlinedFrom bool // it was not in the function as lowered

	last   *graph // after the last pass
	lastLp *ir.Loop
}

// A tracked is a function that is followed.
type tracked struct {
	before   map[*ir.Value]*ir.Block // the blocks of operations after the last pass
	measured []*measured
	whole    *measured               // the function itself, in phase A
	told     map[*ir.Value]opt.Event // what the current pass said that it removed or inlined
}

// A follower follows the operations of measured loops through the optimiser.
type follower struct {
	places
	loops []*Loop
	files map[string]bool
	known map[*ir.Func]*tracked
	named map[string]*tracked
	order []*measured // in the order in which they appeared
}

func newFollower(list []*Benchmark) *follower {
	w := &follower{files: map[string]bool{}, known: map[*ir.Func]*tracked{}, named: map[string]*tracked{}}
	seen := map[place]bool{}
	for _, b := range list {
		for _, name := range b.Files {
			w.files[name] = true
		}
		for _, l := range b.Loops {
			if seen[l.place()] {
				continue
			}
			seen[l.place()] = true
			w.loops = append(w.loops, l)
			w.files[l.File] = true
		}
	}
	return w
}

// of returns the state of a function; nil: it is not followed.
func (w *follower) of(f *ir.Func) *tracked {
	t, ok := w.known[f]
	if ok {
		return t
	}
	if w.m == nil || f.Module != w.m {
		w.places = places{f.Module, map[int32]string{}, map[ir.Pos][]frame{}}
	}
	follow := false
	for _, at := range w.frames(f.Pos) {
		follow = follow || w.files[w.file(at.file)]
	}
	if follow {
		t = &tracked{told: map[*ir.Value]opt.Event{}}
		w.named[f.Name] = t
	}
	w.known[f] = t
	return t
}

// watch is opt.Options.Watch.
func (w *follower) watch(f *ir.Func) bool { return w.of(f) != nil }

// log is opt.Options.Log.
func (w *follower) log(e opt.Event) {
	if t := w.of(e.Func); t != nil && (e.Kind == opt.Removed || e.Kind == opt.Inlined) {
		t.told[e.Value] = e
	}
}

// brings are the passes, and beginnings of phases, after which a function may have new measured
// loops.
var brings = map[string]bool{"phasea": true, "inline": true, "phaseb": true}

// dump is opt.Options.Dump: a pass ran, or a phase begins.
func (w *follower) dump(pass string, f *ir.Func) {
	t := w.of(f)
	if t == nil || len(t.measured) == 0 && t.whole == nil && !brings[pass] {
		return
	}
	g := newGraph(f)
	switch {
	case pass == "phaseb":
		t.whole = nil // it is not inlined any more
	case t.whole != nil:
		w.step(t.whole, t, pass, g)
	case pass == "phasea":
		t.whole = &measured{f: f, own: map[*ir.Value]bool{}}
		w.add(t.whole, g, nil, func(*ir.Value) bool { return true })
	}
	for _, m := range t.measured {
		w.step(m, t, pass, g)
	}
	if brings[pass] {
		for _, l := range w.loops {
			for _, lp := range w.find(g, l) {
				if !slices.ContainsFunc(t.measured, func(m *measured) bool { return m.loop == l && m.stands(g, lp) }) {
					w.begin(t, l, g, lp)
				}
			}
		}
	}
	t.before = g.at
	clear(t.told)
}

// stands reports whether a loop is the one that m follows, as far as that still exists.
func (m *measured) stands(g *graph, lp *ir.Loop) bool {
	return m.loop.Func != "" || g.at[m.anchor] == lp.Header
}

// begin starts to follow a loop.
func (w *follower) begin(t *tracked, l *Loop, g *graph, lp *ir.Loop) {
	m := &measured{f: g.f, loop: l, anchor: anchor(lp.Header), own: map[*ir.Value]bool{}, last: g, lastLp: lp}
	if l.Func != "" {
		m.anchor = nil // the function has no other loop
	} else if m.anchor == nil {
		return
	}
	t.measured = append(t.measured, m)
	w.order = append(w.order, m)
	// Operations removed in the function that the loop was inlined from are gone here, too.
	if m.anchor == nil {
	} else if at := w.frames(m.anchor.Pos); len(at) > 1 && at[0].fn != g.f.Index {
		m.inlinedFrom = true
		if t := w.known[w.m.Func(int(at[0].fn))]; t != nil {
			for _, from := range t.measured {
				if from.loop != l {
					continue
				}
				for _, o := range from.ops {
					if o.gone {
						c := *o
						m.ops = append(m.ops, &c)
					}
				}
				break
			}
		}
	}
	for v := range control(g, lp, m.loop) {
		m.own[v] = true
	}
	w.add(m, g, lp, func(*ir.Value) bool { return true })
}

// anchor is the operation of a header that identifies the loop from now on. It has an effect, so no
// pass moves it.
func anchor(h *ir.Block) *ir.Value {
	var first *ir.Value
	for _, v := range h.Values {
		switch {
		case v.Op == ir.OpGasLoop:
			return v
		case first == nil && v.Op != ir.OpPhi && v.Pos != 0:
			first = v
		}
	}
	return first
}

// add begins to follow the new operations of the loop.
func (w *follower) add(m *measured, g *graph, lp *ir.Loop, isNew func(*ir.Value) bool) {
	users := usersIn(g.f)
	prices := prices(g.f)
	blocks, reports := g.f.Blocks, map[*ir.Block]bool(nil)
	if lp != nil {
		blocks, reports = lp.Blocks, w.reports(g, lp)
	}
	for _, b := range blocks {
		for _, v := range b.Values {
			k := kindOf(v)
			if !isNew(v) || m.own[v] {
				continue
			}
			if k == overhead || reports[b] || prices[v] || w.ofHarness(v) {
				m.own[v] = true
				continue
			}
			if k == free {
				continue
			}
			o := &op{v: v, what: describe(v), pos: v.Pos, frames: w.frames(v.Pos), kind: k, class: v.Op.Class(),
				store: v.HasEffect(ir.WriteMem), callee: -1, used: users[v]}
			o.level, o.frames = w.level(m.loop, o.frames)
			if v.Op == ir.OpCall {
				o.callee = v.Fn.Index
			}
			m.ops = append(m.ops, o)
		}
	}
}

// level is how many inlined calls lie between the loop's lines and an operation. It drops the
// frames around the loop.
func (w *follower) level(l *Loop, frames []frame) (int, []frame) {
	if l == nil {
		return len(frames) - 1, frames
	}
	if l.Func != "" {
		return max(0, len(frames)-2), frames // the function that the loop calls is its body
	}
	for i, f := range frames {
		if f.line >= l.First && f.line <= l.Last && w.file(f.file) == l.File {
			return i, frames[:i+1]
		}
	}
	return max(0, len(frames)-1), frames
}

// usersIn marks the operations with a result that something uses.
func usersIn(f *ir.Func) map[*ir.Value]bool {
	used := map[*ir.Value]bool{}
	mark := func(v *ir.Value) {
		used[v] = true
		if v.Op == ir.OpResult && len(v.Args) > 0 {
			used[v.Args[0]] = true
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == ir.OpResult {
				continue // it names a result; whether that is used depends on its own users
			}
			for _, a := range v.Args {
				mark(a)
			}
		}
		if b.Ctrl != nil {
			mark(b.Ctrl)
		}
		for _, r := range b.Rets {
			mark(r)
		}
	}
	return used
}

// where finds the loop again.
func (w *follower) where(m *measured, g *graph) *ir.Loop {
	if g.loops().Irreducible {
		m.lost = "the function has a loop with several entries"
		return nil
	}
	if b := g.at[m.anchor]; b != nil {
		if lp := g.loops().Of(b); lp != nil {
			return lp
		}
		m.lost = "control never comes round in it"
		return nil
	}
	if list := w.find(g, m.loop); len(list) == 1 {
		if m.loop.Func != "" {
			return list[0]
		}
		if m.anchor = anchor(list[0].Header); m.anchor != nil {
			return list[0]
		}
	}
	m.lost = "it could not be followed through the passes"
	if m.loop.Func != "" {
		m.lost = "control never comes round in it"
	}
	return nil
}

// step compares a loop with its state before a pass.
func (w *follower) step(m *measured, t *tracked, pass string, g *graph) {
	if m.lost != "" {
		return
	}
	var lp *ir.Loop
	if m.loop != nil {
		if lp = w.where(m, g); lp == nil {
			return
		}
		m.last, m.lastLp = g, lp
	}
	for _, o := range m.ops {
		if o.gone {
			continue
		}
		w.resolve(o, t, pass, g, lp)
		if o.reason == inlined {
			w.bring(m, o, t.told[o.v].What)
		}
	}
	if pass == "inline" {
		w.add(m, g, lp, func(v *ir.Value) bool { _, old := t.before[v]; return !old })
	}
}

// maxGone bounds how many operations removed in callees are kept for a loop.
const maxGone = 10000

// bring copies the operations that were removed in a function during its own optimisation to the
// place of an inlined call of it.
func (w *follower) bring(m *measured, call *op, callee string) {
	t := w.named[callee]
	if t == nil || t.whole == nil || t.whole == m {
		return
	}
	// An empty function that is declared as a benchmark measures the loop, on purpose.
	call.empty = m.loop != nil && m.loop.Func != "" && len(call.frames) == 1 && len(t.whole.ops) == 0
	for _, o := range t.whole.ops {
		if o.gone && len(m.ops) < maxGone {
			c := *o
			c.before, c.frames, c.level = true, slices.Concat(o.frames, call.frames), call.level+o.level+1
			if m.loop != nil && m.loop.Func != "" && len(call.frames) == 1 {
				c.level-- // it is in the body
			}
			m.ops = append(m.ops, &c)
		}
	}
}

// resolve finds out what a pass made of an operation.
func (w *follower) resolve(o *op, t *tracked, pass string, g *graph, lp *ir.Loop) {
	v := o.v
	told, some := t.told[v]
	gone := func(reason, why string) {
		if some && told.Kind == opt.Removed && told.Why != "" {
			why = told.Why
		}
		o.gone, o.pass, o.reason, o.why = true, pass, reason, why
	}
	if o.call() && pass == "inline" && some && told.Kind == opt.Inlined {
		gone(inlined, "a call of "+told.What+", which executes nothing")
		return
	}
	for {
		b := g.at[v]
		switch {
		case v.Op == ir.OpConst:
			gone(constant, "its operands are known")
			return
		case b != nil && lp != nil && !g.loops().Contains(lp, b):
			if g.dom().Dominates(b, lp.Header) {
				gone(hoisted, "it is computed before the loop, with the same result for all iterations")
			} else {
				gone(hoisted, "it is computed behind the loop")
			}
			return
		case b != nil && v.Op == ir.OpLocalAddr && o.class == ir.ClassAllocation:
			if o.unread, o.consumed = unread(g.f, v.Aux); o.unread {
				gone(unused, "the object does not escape, and nobody reads it")
				o.why = "the object does not escape, and nobody reads it"
			} else {
				gone(scalar, "the object does not escape: it lives in the frame")
			}
			return
		case b != nil:
			o.v = v
			return
		case v.Op == ir.OpCopy:
			x := v
			for x.Op == ir.OpCopy {
				x = x.Args[0]
			}
			_, old := t.before[x]
			if x.Op == ir.OpConst || g.at[x] != nil && !old {
				v = x // its replacement
				continue
			}
			r, ok := removes[pass]
			switch {
			case ok && o.call():
				gone(r.reason, r.why)
			case g.at[x] == nil:
				gone(unused, "nobody needs its result")
			case pass == "sroa":
				gone(scalar, "the variable that it reads became an SSA value")
			case pass == "gvn" && lp != nil && !g.inside(x, lp):
				gone(hoisted, "the same is computed before the loop")
			default:
				gone(equal, "its result is there already")
			}
			return
		}
		break
	}
	if v.Op != ir.OpInvalid && leadsNowhere[pass] && !slices.Contains(g.f.Blocks, t.before[v]) {
		gone(constant, "control does not get to it")
		o.skipped = true
		return
	}
	if o.class == ir.ClassAssertion {
		gone(proved, "it always passes")
		return
	}
	r, ok := removes[pass]
	if !ok {
		r = removal{unused, "nobody needs its result"}
	}
	o.unread = r.reason == unused
	gone(r.reason, r.why)
}

// leadsNowhere are the passes that drop blocks.
var leadsNowhere = map[string]bool{"inline": true, "early-graph": true, "graph": true, "noreturn": true, "prove": true, "switch": true,
	"simplify": true, "early-simplify": true, "phasea": true, "phaseb": true}

// A removal is the reason for which a pass takes an operation out of its block.
type removal struct{ reason, why string }

// removes has the passes that take operations out of their blocks for a reason other than that
// nothing needs them.
var removes = map[string]removal{
	"sroa":       {scalar, "its object is a local that became SSA values"},
	"escape":     {scalar, "the object does not escape: it lives in the frame"},
	"loads":      {equal, "what it stores is there already"},
	"moves":      {equal, "it is joined with another copy"},
	"gvn":        {equal, "the same is computed before"},
	"combine":    {equal, "it is joined with its neighbours in memory"},
	"switch":     {equal, "it is a part of a switch"},
	"concat":     {equal, "one concatenation makes the whole string"},
	"bytestring": {unused, "the copy of the bytes is not needed"},
	"deadlocals": {unused, "nobody reads what it writes"},
}

// unread reports whether nothing can see the content of a local of a function: its address is used
// only to write to it. Its address may be consumed, as a result that a loop keeps.
func unread(f *ir.Func, local int64) (yes, consumed bool) {
	into := map[*ir.Value]bool{}
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				if into[v] {
					continue
				}
				in := v.Op == ir.OpLocalAddr && v.Aux == local
				switch v.Op {
				case ir.OpPtrAdd, ir.OpPtrIdx, ir.OpCopy, ir.OpPhi, ir.OpSelect:
					in = slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return into[a] })
				}
				if in {
					into[v], changed = true, true
				}
			}
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if into[v] || v.Op == ir.OpKeep {
				continue
			}
			for i, a := range v.Args {
				if !into[a] {
					continue
				}
				if consumes[v.Op.String()] {
					consumed = true
					continue
				}
				switch v.Op {
				case ir.OpNilCheck, ir.OpEq, ir.OpNe, ir.OpClear, ir.OpClearN:
					continue
				case ir.OpStore, ir.OpMove, ir.OpMoveN:
					if i == 0 {
						continue
					}
				}
				return false, false
			}
		}
		if slices.ContainsFunc(b.Rets, func(r *ir.Value) bool { return into[r] }) {
			return false, false
		}
	}
	return true, consumed
}

// short is a function's name without the path of its package: "BenchmarkSum.func1".
func short(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	_, rest, ok := strings.Cut(name, ".")
	if !ok {
		return name
	}
	return rest
}
