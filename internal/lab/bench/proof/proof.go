package proof

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/opt"
)

// A Result is the proof for one measured loop of a benchmark. A loop that the benchmark calls in
// several forms, inlined with different constants, has one for each.
type Result struct {
	Func string // of the benchmark
	Sub  string // as Loop.Sub
	record.Proof
}

// A Prover follows the measured loops of benchmarks while they are compiled.
type Prover struct {
	benchmarks []*Benchmark
	follower   *follower
}

// New returns a prover for benchmarks. It serves one compilation.
func New(list []*Benchmark) *Prover { return &Prover{list, newFollower(list)} }

// Observe lets the prover watch the passes of a compilation, in addition to other observers.
func (p *Prover) Observe(o *engine.Observer) {
	w := p.follower
	dump, log, watch := o.Dump, o.Log, o.Watch
	o.Dump = func(pass string, f *ir.Func) {
		w.dump(pass, f)
		if dump != nil {
			dump(pass, f)
		}
	}
	if log == nil {
		o.Log, o.Watch = w.log, w.watch
		return
	}
	o.Log = func(e opt.Event) {
		w.log(e)
		if watch == nil || watch(e.Func) {
			log(e)
		}
	}
	o.Watch = func(f *ir.Func) bool { return w.watch(f) || watch == nil || watch(f) }
}

// Of compiles a test binary and returns the proofs of its benchmarks, in their order. A nil list
// means all (see Find). It compiles separately, including the standard library and without a cache,
// since passes must run to be observed, and without copies of loops.
func Of(ctx context.Context, src engine.Source, list []*Benchmark) ([]Result, error) {
	if list == nil {
		var err error
		if list, err = Find(ctx, &src); err != nil {
			return nil, err
		}
	}
	p := New(list)
	p.Observe(&src.Observer)
	src.Cache = ""                                          // its entries have no passes to observe
	src.NoPass = append(slices.Clone(src.NoPass), "unroll") // several copies of a round are one round's work
	prog, err := engine.Compile(ctx, src)
	if err != nil {
		return nil, err
	}
	return p.Results(prog.View())
}

// Results optimises the functions with measured loops to the end and returns the result of each
// loop. A benchmark gets the loops in its own functions. If a loop is in a function that was not
// inlined, it gets the one there. A benchmark without any loop has a result that says so.
func (p *Prover) Results(view engine.View) ([]Result, error) {
	w := p.follower
	for i := 0; i < len(w.order); i++ { // phase B may show more
		if err := view.Prepare(w.order[i].f); err != nil {
			return nil, err
		}
	}
	var list []Result
	for _, b := range p.benchmarks {
		if len(b.Loops) == 0 {
			list = append(list, Result{Func: b.Func, Proof: record.Proof{Func: b.Func, Place: fmt.Sprintf("%s:%d", b.File, b.Line),
				Unknown: "the benchmark has no loop over b.N and does not call b.Loop"}})
		}
		for _, l := range b.Loops {
			var own, others []*measured
			for _, m := range w.order {
				if m.loop.place() != l.place() {
					continue
				}
				if name := short(m.f.Name); name == b.Func || strings.HasPrefix(name, b.Func+".") || l.Func != "" {
					own = append(own, m)
				} else {
					others = append(others, m)
				}
			}
			if here := w.passed(own, b, l); len(here) > 0 {
				own = here
			}
			if len(own) == 0 {
				own = standalone(others)
			}
			for _, m := range own {
				list = append(list, Result{b.Func, l.Sub, w.proof(m)})
			}
			if len(own) == 0 {
				list = append(list, Result{b.Func, l.Sub, record.Proof{Func: b.Func, Place: fmt.Sprintf("%s:%d", l.File, l.First),
					Unknown: "the program has no such loop: control does not come round in it, or it is not reached"}})
			}
		}
	}
	return list, nil
}

// passed are the loops in the function that the benchmark passes to Run around its call of the
// loop's function.
func (w *follower) passed(list []*measured, b *Benchmark, l *Loop) (here []*measured) {
	for _, m := range list {
		at := w.frames(m.f.Pos)
		if len(at) > 0 && w.file(at[0].file) == b.File && at[0].line >= l.RunFirst && at[0].line <= l.RunLast {
			here = append(here, m)
		}
	}
	return here
}

// standalone are the loops in functions other than the benchmark's that were not inlined from
// another function.
func standalone(list []*measured) (own []*measured) {
	for _, m := range list {
		if !m.inlinedFrom {
			own = append(own, m)
		}
	}
	return own
}

// proof sums up what the passes made of a loop's operations.
func (w *follower) proof(m *measured) record.Proof {
	p := record.Proof{Func: m.f.Name, Place: fmt.Sprintf("%s:%d", m.loop.File, m.loop.First), Unknown: m.lost}
	if m.lost != "" {
		return p
	}
	g, lp := m.last, m.lastLp
	needed, living := w.needed(m, g, lp), living(g.f)
	stands := map[*ir.Value]bool{}
	for _, o := range m.ops {
		executes := o.reason != inlined || !slices.ContainsFunc(m.ops, func(x *op) bool { return x.madeBy(o) })
		if !executes {
			continue // the operations of the callee are counted
		}
		works := o.kind == work && !o.skipped && !o.empty
		if o.reason == hoisted && !o.before && g.at[o.v] != nil && !living[o.v] {
			o.reason, o.why = unused, "nobody needs its result" // moved before it was removed
		}
		p.Lowered++
		if works {
			p.Work++
		}
		if !o.gone {
			stands[o.v] = true
			p.Left++
			if works && needed[o.v] {
				p.WorkLeft++
			}
			continue
		}
		p.Gone = append(p.Gone, record.Gone{What: o.what, Place: w.place(o.pos), Pass: o.pass, Reason: o.reason, Why: o.why,
			Class: o.class.String(), Work: works, Level: o.level})
	}
	own, reports, prices := control(g, lp, m.loop), w.reports(g, lp), prices(g.f)
	counts := map[string]int{}
	var named []string
	for _, b := range lp.Blocks {
		for _, v := range b.Values {
			k := kindOf(v)
			switch {
			case stands[v]:
			case k == free:
				continue
			case k == overhead || own[v] || m.own[v] || reports[b] || prices[v] || w.ofHarness(v):
				p.Overhead++
				continue
			default: // a pass made it
				p.Lowered++
				p.Left++
				if k == work {
					p.Work++
				}
				if k == work && needed[v] {
					p.WorkLeft++
				}
			}
			switch name := group(v); {
			case name != "":
				counts[name]++
			case k != free:
				named = append(named, describe(v))
			}
			switch v.Op.Class() {
			case ir.ClassCall, ir.ClassHostCall:
				p.Calls++
			case ir.ClassAllocation:
				p.Allocs++
			}
			if k == work && needed[v] && idle(g, lp, v, own) {
				p.Idle++
			}
		}
	}
	p.Kept = kept(named, counts)
	for _, o := range m.ops {
		if x, ok := w.vanished(m, o); ok {
			p.Vanished = append(p.Vanished, x)
		}
	}
	return p
}

// kept lists the operations left: calls and allocations by name, the rest by number.
func kept(named []string, counts map[string]int) (list []string) {
	slices.Sort(named)
	for i := 0; i < len(named); {
		n := i
		for n < len(named) && named[n] == named[i] {
			n++
		}
		text := named[i]
		if n-i > 1 {
			text = fmt.Sprintf("%d times %s", n-i, text)
		}
		list = append(list, text)
		i = n
	}
	groups := make([]string, 0, len(counts))
	for name := range counts {
		groups = append(groups, name)
	}
	slices.SortFunc(groups, func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	for _, name := range groups {
		list = append(list, fmt.Sprintf("%s: %d", name, counts[name]))
	}
	return list
}

// needed finds the operations of a loop whose results serve more than checks and the loop's own
// control: operations with effects, branches between paths, values used after the loop, and the
// operands of all these.
func (w *follower) needed(m *measured, g *graph, lp *ir.Loop) map[*ir.Value]bool {
	set := map[*ir.Value]bool{}
	var work []*ir.Value
	mark := func(v *ir.Value) {
		if v != nil && g.inside(v, lp) && !set[v] {
			set[v] = true
			work = append(work, v)
		}
	}
	own := control(g, lp, m.loop)
	for _, b := range g.f.Blocks {
		in := g.loops().Contains(lp, b)
		for _, v := range b.Values {
			switch {
			case !in:
				for _, a := range v.Args {
					mark(a)
				}
			case v.HasEffect(ir.WriteMem|ir.IsCall|ir.Allocates) && kindOf(v) != overhead:
				mark(v)
			case consumes[v.Op.String()]:
				mark(v)
			}
		}
		if b.Ctrl != nil && !own[b.Ctrl] && (!in || g.loops().Of(b) == lp) {
			mark(b.Ctrl)
		}
		if !in {
			for _, r := range b.Rets {
				mark(r)
			}
		}
	}
	follow := func() {
		for len(work) > 0 {
			v := work[len(work)-1]
			work = work[:len(work)-1]
			for _, a := range v.Args {
				mark(a)
			}
		}
	}
	follow()
	// The control of an inner loop is needed if something in that loop is, or if it decides where
	// to continue.
	for changed := true; changed; {
		changed = false
		for _, x := range g.loops().List {
			if x == lp || !g.loops().Contains(lp, x.Header) || !decides(g, lp, x, set) {
				continue
			}
			n := len(set)
			for _, b := range x.Blocks {
				mark(b.Ctrl)
			}
			follow()
			changed = changed || len(set) > n
		}
	}
	return set
}

// decides reports whether an inner loop x of lp does something that is needed, or has several exits
// that differ.
func decides(g *graph, lp, x *ir.Loop, needed map[*ir.Value]bool) bool {
	var exits []*ir.Block
	for _, b := range x.Blocks {
		if slices.ContainsFunc(b.Values, func(v *ir.Value) bool { return needed[v] }) {
			return true
		}
		for _, s := range b.Succs {
			if !g.loops().Contains(x, s) {
				exits = append(exits, s)
			}
		}
	}
	for _, s := range exits {
		if s != exits[0] {
			return true
		}
	}
	return len(exits) > 1 && (len(exits[0].Phis()) > 0 && !g.loops().Contains(lp, exits[0]) ||
		slices.ContainsFunc(exits[0].Phis(), func(v *ir.Value) bool { return needed[v] }))
}

// living finds the operations of a function whose results are used.
func living(f *ir.Func) map[*ir.Value]bool {
	set := map[*ir.Value]bool{}
	var work []*ir.Value
	mark := func(v *ir.Value) {
		if v != nil && !set[v] {
			set[v] = true
			work = append(work, v)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.HasEffect(^(ir.ReadMem | ir.Commutes | ir.Pinned | ir.Counts)) || consumes[v.Op.String()] {
				mark(v)
			}
		}
		mark(b.Ctrl)
		for _, r := range b.Rets {
			mark(r)
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.Args {
			mark(a)
		}
	}
	return set
}

// consumes names operations that stand for a use outside of the program.
var consumes = map[string]bool{"consume": true}

// idle reports whether an operation does no new work in an iteration. It adds a value from before
// the loop to a variable that lives from one iteration to the next (x += c, with x an SSA value or
// in memory), or it compares two such values. A result computed from the loop's own counter is new
// each time.
func idle(g *graph, lp *ir.Loop, v *ir.Value, own map[*ir.Value]bool) bool {
	invariant := func(x *ir.Value) bool { return x.Op == ir.OpConst || !g.inside(x, lp) }
	sum := func(v *ir.Value) *ir.Value { // the variable that is added to
		if c := v.Op.Class(); c != ir.ClassArithmetic && c != ir.ClassFloatArithmetic || len(v.Args) != 2 {
			return nil
		}
		for i, a := range v.Args {
			if invariant(v.Args[1-i]) && !invariant(a) {
				return a
			}
		}
		return nil
	}
	if v.Op.IsComparison() {
		return invariant(v.Args[0]) && invariant(v.Args[1])
	}
	if v.Op == ir.OpLoad {
		for _, b := range lp.Blocks {
			for _, s := range b.Values {
				if s.Op == ir.OpStore && sameAddress(s, v) && sum(s.Args[1]) == v {
					return true
				}
			}
		}
		return false
	}
	switch x := sum(v); {
	case x == nil || own[x]:
		return false
	case x.Op == ir.OpPhi && g.at[x] == lp.Header:
		return slices.Contains(x.Args, v)
	case x.Op == ir.OpLoad:
		for _, b := range lp.Blocks {
			for _, s := range b.Values {
				if s.Op == ir.OpStore && sameAddress(s, x) && s.Args[1] == v {
					return true
				}
			}
		}
	}
	return false
}

// sameAddress reports whether a store and a load have the same address.
func sameAddress(s, l *ir.Value) bool {
	p, q := s.Args[0], l.Args[0]
	return s.Aux == l.Aux && (p == q || p.Op == ir.OpConst && q.Op == ir.OpConst && p.Aux == q.Aux)
}

// vanished reports whether an operation in the loop's own lines is a call or an allocation that is
// not executed at all any more.
func (w *follower) vanished(m *measured, o *op) (x record.Vanished, ok bool) {
	if o.level > 0 && !o.consumed || !o.gone || o.skipped {
		return x, false
	}
	x = record.Vanished{What: o.what, Place: w.place(o.pos), Reason: o.reason}
	switch {
	case o.class == ir.ClassAllocation:
		x.Kind = "allocation"
		x.Unread = o.unread
		return x, o.consumed || m.loop.Func != "" || slices.Contains(m.loop.Allocs, o.frameLine())
	case !o.call() || m.loop.Func != "" && len(o.frames) == 1: // the body is the call that the loop is made for
		return x, false
	}
	x.Kind = "call"
	if o.reason != inlined {
		return x, true
	}
	reasons := map[string]int{}
	pure, computes := true, false // computes: something other than an unused allocation
	for _, part := range m.ops {
		if !part.madeBy(o) {
			continue
		}
		if !part.gone {
			return x, false
		}
		if part.kind == work && !part.skipped && part.reason != inlined {
			reasons[part.reason]++
			computes = computes || part.reason == unused && part.class != ir.ClassAllocation
		}
		pure = pure && (!part.store || part.before || part.class == ir.ClassAllocation)
	}
	for _, r := range []string{hoisted, constant, unused, equal, scalar} {
		if reasons[r] > reasons[x.Reason] {
			x.Reason = r
		}
	}
	x.Unread = pure && computes && (!o.used || len(reasons) == 1)
	return x, true
}

func (o *op) frameLine() int {
	if o.level < len(o.frames) {
		return o.frames[o.level].line
	}
	return 0
}

// place is an operation's own position as file:line.
func (w *follower) place(pos ir.Pos) string {
	at := w.frames(pos)
	if len(at) == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", w.file(at[0].file), at[0].line)
}
