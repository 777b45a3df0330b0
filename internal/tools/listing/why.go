package listing

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
)

// Why collects the decisions of passes while a program is compiled (opt.Options.Log).
type Why struct {
	// Match selects functions. Removed prints what was removed as well as what stayed.
	Match   *regexp.Regexp
	Removed bool

	events map[*ir.Func][]opt.Event
	match  map[*ir.Func]bool
}

// Watch selects functions, for opt.Options.Watch.
func (w *Why) Watch(f *ir.Func) bool {
	m, ok := w.match[f]
	if !ok {
		if w.match == nil {
			w.match = map[*ir.Func]bool{}
		}
		m = w.Match.MatchString(f.Name)
		w.match[f] = m
	}
	return m
}

// Log takes one decision.
func (w *Why) Log(e opt.Event) {
	if w.events == nil {
		w.events = map[*ir.Func][]opt.Event{}
	}
	w.events[e.Func] = append(w.events[e.Func], e)
}

// A finding is one line of the answer.
type finding struct {
	pos       ir.Pos
	what, why string
}

// Print optimises a function. It writes the checks, calls and allocations that are left, and why;
// with Removed also those that are gone.
func (w *Why) Print(out io.Writer, p engine.View, f *ir.Func) error {
	if err := p.Prepare(f); err != nil {
		return err
	}
	if f.Entry == nil {
		return nil
	}
	// The last event for each operation decides.
	last := map[*ir.Value]map[opt.EventKind]opt.Event{}
	for _, e := range w.events[f] {
		if last[e.Value] == nil {
			last[e.Value] = map[opt.EventKind]opt.Event{}
		}
		last[e.Value][e.Kind] = e
	}
	var checks, calls, allocs, removed, inlined []finding
	unproved := "made or moved here behind the pass that looks"
	if f.Large() {
		unproved = "not looked at: the function is over the budget"
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			add := func(list *[]finding, kind opt.EventKind, what, otherwise string) {
				if e, ok := last[v][kind]; ok {
					otherwise = w.reason(p.Mod, f, e)
				}
				*list = append(*list, finding{v.Pos, what, otherwise})
			}
			text := v.LongString()
			switch v.Op {
			case ir.OpNilCheck, ir.OpBounds, ir.OpCheck:
				add(&checks, opt.Kept, text, unproved)
			case ir.OpCall:
				add(&calls, opt.NotInlined, v.Fn.Name, "a pass put it here when calls had been decided")
			case ir.OpCallClosure:
				add(&calls, opt.NotInlined, text, "not static: the function value is not known here")
			case ir.OpCallIndex:
				add(&calls, opt.NotInlined, text, "not static: the method is not known here")
			case ir.OpNew, ir.OpNewArray:
				add(&allocs, opt.Escapes, text, "the escape analysis did not look at it")
			}
			if e, ok := last[v][opt.Escapes]; ok && v.Op == ir.OpCall {
				allocs = append(allocs, finding{v.Pos, text, w.reason(p.Mod, f, e)})
			}
		}
	}
	for _, e := range w.events[f] {
		switch e.Kind {
		case opt.Removed:
			removed = append(removed, finding{e.Pos, e.What, e.Pass + ": " + e.Why})
		case opt.Inlined:
			inlined = append(inlined, finding{e.Pos, e.What, e.Why})
		}
	}
	bw := bufio.NewWriter(out)
	fmt.Fprintf(bw, "%s: %d checks, %d calls, %d allocations\n", f.Name, len(checks), len(calls), len(allocs))
	if f.Large() {
		fmt.Fprintf(bw, "  over the budget: %s; of phase B there run only %s\n", f.OverBudget(),
			strings.Join(opt.Cheap(), ", "))
	}
	print := func(title string, list []finding) {
		if len(list) == 0 {
			return
		}
		slices.SortStableFunc(list, func(a, b finding) int { return comparePos(p.Mod, a.pos, b.pos) })
		fmt.Fprintf(bw, "  %s\n", title)
		for _, x := range list {
			fmt.Fprintf(bw, "    %s: %s: %s\n", cmp.Or(Place(p.Mod, x.pos), "?"), x.what, x.why)
		}
	}
	print("checks that stay", checks)
	print("calls that stay", calls)
	print("allocations on the heap", allocs)
	if w.Removed {
		print("calls inlined", inlined)
		print("checks, charges and allocations removed", removed)
	}
	fmt.Fprintln(bw)
	return bw.Flush()
}

// reason says why something was decided, with the operation and the place that it is about. An
// operation that has been removed has no text: it had another number at that time.
func (w *Why) reason(m *ir.Module, f *ir.Func, e opt.Event) string {
	if e.At == nil {
		return e.Why
	}
	why := e.Why
	if b := e.At.Block; b != nil && slices.Contains(f.Blocks, b) && slices.Contains(b.Values, e.At) {
		why += ": " + e.At.LongString()
	}
	if at := Place(m, e.At.Pos); at != "" {
		why += ", " + at
	}
	return why
}

// comparePos orders positions by file and line, outermost call first.
func comparePos(m *ir.Module, a, b ir.Pos) int {
	if a == b {
		return 0
	}
	x, y := chain(m, a), chain(m, b)
	for i := 0; i < len(x) && i < len(y); i++ {
		fa, la, _ := site(m, x[len(x)-1-i])
		fb, lb, _ := site(m, y[len(y)-1-i])
		if c := cmp.Or(cmp.Compare(fa, fb), cmp.Compare(la, lb)); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}

// chain lists a position and the calls that it was inlined into.
func chain(m *ir.Module, p ir.Pos) (list []ir.Pos) {
	for len(list) < 1000 {
		e, ok := m.Position(p)
		if !ok {
			break
		}
		list = append(list, p)
		p = e.Parent
	}
	return list
}
