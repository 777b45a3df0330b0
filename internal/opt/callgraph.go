package opt

import (
	"encoding/binary"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

// components groups the functions of a module into the strongly connected components of the static
// call graph, callees before callers (Tarjan, 1972). The function of a closure comes before the
// functions that make the closure, so that its effects are known there, and so do the functions
// that may replace makers.
func components(m *ir.Module, makers map[*ir.Func]*maker) [][]*ir.Func {
	first := int32(m.FirstOwn())
	n := m.NumFuncs() - m.FirstOwn()
	index := make([]int32, n)
	low := make([]int32, n)
	onStack := make([]bool, n)
	var stack []*ir.Func
	var out [][]*ir.Func
	next := int32(1)
	type frame struct {
		f       *ir.Func
		callees []*ir.Func
	}
	var work []frame
	enter := func(f *ir.Func) {
		index[f.Index-first], low[f.Index-first] = next, next
		next++
		stack = append(stack, f)
		onStack[f.Index-first] = true
		list := callees(f)
		for _, g := range list {
			if mk := makers[g]; mk != nil && mk.buffered != nil && mk.buffered != f {
				list = append(list, mk.buffered)
			}
		}
		work = append(work, frame{f, list})
	}
	for _, root := range m.Own() {
		if root.Entry == nil || index[root.Index-first] != 0 {
			continue
		}
		enter(root)
		for len(work) > 0 {
			top := &work[len(work)-1]
			if len(top.callees) > 0 {
				g := top.callees[0]
				top.callees = top.callees[1:]
				if m.InBase(g) || g.Entry == nil {
					continue
				}
				if index[g.Index-first] == 0 {
					enter(g)
				} else if onStack[g.Index-first] {
					low[top.f.Index-first] = min(low[top.f.Index-first], index[g.Index-first])
				}
				continue
			}
			f := top.f
			work = work[:len(work)-1]
			if len(work) > 0 {
				p := work[len(work)-1].f
				low[p.Index-first] = min(low[p.Index-first], low[f.Index-first])
			}
			if low[f.Index-first] != index[f.Index-first] {
				continue
			}
			var scc []*ir.Func
			for {
				g := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				onStack[g.Index-first] = false
				scc = append(scc, g)
				if g == f {
					break
				}
			}
			// In the order of their discovery, whatever the stack's.
			for i, j := 0, len(scc)-1; i < j; i, j = i+1, j-1 {
				scc[i], scc[j] = scc[j], scc[i]
			}
			out = append(out, scc)
		}
	}
	return out
}

// callees lists the functions that f calls or makes closures of, in order.
func callees(f *ir.Func) []*ir.Func {
	m := f.Module
	var list []*ir.Func
	seen := map[*ir.Func]bool{}
	add := func(g *ir.Func) {
		if g != nil && !seen[g] {
			seen[g] = true
			list = append(list, g)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			switch v.Op {
			case ir.OpCall:
				add(v.Fn)
			case ir.OpCallClosure:
				if v.Args[0].Op == ir.OpConst {
					add(staticClosure(m, v.Args[0].Aux))
				}
			case ir.OpStore:
				add(closureStore(m, v))
			}
			if v.Op == ir.OpCall || v.Op == ir.OpCallClosure || v.Op == ir.OpStore {
				for _, a := range v.Args {
					if a.Op == ir.OpConst && a.Type == ir.Ptr && a.Aux != 0 {
						if g := staticClosure(m, a.Aux); g != nil && strings.HasPrefix(g.Name, f.Name) {
							add(g) // a literal in f that captures nothing, passed or kept
						}
					}
				}
			}
		}
	}
	return list
}

// staticClosure returns the function of a closure in the data segment.
func staticClosure(m *ir.Module, addr int64) *ir.Func {
	if err := m.LoadData(); err != nil {
		panic(err)
	}
	off := addr - ir.DataBase
	if off < 0 || off+8 > int64(len(m.Data)) {
		return nil
	}
	return funcAt(m, int64(binary.LittleEndian.Uint64(m.Data[off:])))
}

func funcAt(m *ir.Module, index int64) *ir.Func {
	if index <= 0 || index >= int64(m.NumFuncs()) {
		return nil
	}
	return m.Func(int(index))
}

// closureStore returns the function whose index a store puts into the first
// word of a new object, as lowering does to make a closure.
func closureStore(m *ir.Module, v *ir.Value) *ir.Func {
	if v.Op != ir.OpStore || v.Aux != 0 {
		return nil
	}
	p, x := v.Args[0], v.Args[1]
	if p.Op != ir.OpNew && p.Op != ir.OpLocalAddr || x.Op != ir.OpConst || x.Type != ir.I64 {
		return nil
	}
	return funcAt(m, x.Aux)
}

// closures finds the functions of a function's new closure objects and locals.
type closures struct {
	m     *ir.Module
	byNew map[*ir.Value]*ir.Func
	local map[int64]*ir.Func
}

func findClosures(f *ir.Func) *closures {
	c := &closures{m: f.Module}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op != ir.OpStore || v.Aux != 0 {
				continue
			}
			p := v.Args[0]
			if p.Op != ir.OpNew && p.Op != ir.OpLocalAddr {
				continue
			}
			g := closureStore(f.Module, v)
			if p.Op == ir.OpNew {
				if c.byNew == nil {
					c.byNew = map[*ir.Value]*ir.Func{}
				}
				if old, ok := c.byNew[p]; ok && old != g {
					g = nil
				}
				c.byNew[p] = g
			} else {
				if c.local == nil {
					c.local = map[int64]*ir.Func{}
				}
				if old, ok := c.local[p.Aux]; ok && old != g {
					g = nil
				}
				c.local[p.Aux] = g
			}
		}
	}
	return c
}

// target returns the function of a function value, nil if it is unknown.
func (c *closures) target(v *ir.Value) *ir.Func {
	switch v.Op {
	case ir.OpConst:
		return staticClosure(c.m, v.Aux)
	case ir.OpNew:
		return c.byNew[v]
	case ir.OpLocalAddr:
		return c.local[v.Aux]
	}
	return nil
}

// devirtualise turns calls of known function values and of known methods into direct ones. A
// function that captures something needs its closure, so its call stays a call of the value; the
// inliner may still replace it.
func (in *inliner) devirtualise(s *state) {
	var c *closures
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			switch v.Op {
			case ir.OpCallClosure:
				if c == nil {
					c = findClosures(s.f)
				}
				g := c.target(v.Args[0])
				if in.direct(g, v) {
					makeDirect(v, g)
					s.changed = true
				}
			case ir.OpCallIndex:
				if g := knownIndex(s.m, v.Args[0]); in.direct(g, v) {
					makeDirect(v, g)
					s.changed = true
				}
			}
		}
	}
}

// direct reports whether a call may name g, the function that it certainly runs, nil if unknown.
func (in *inliner) direct(g *ir.Func, call *ir.Value) bool {
	return g != nil && (in.m.InBase(g) || g.Entry != nil) && g.Flags&ir.MakeFuncStub == 0 && g.Sig.Equal(call.Sig) &&
		!in.usesClosure(g)
}

func makeDirect(v *ir.Value, g *ir.Func) {
	v.Op = ir.OpCall
	v.Args = append([]*ir.Value(nil), v.Args[1:]...)
	v.Fn, v.Sig, v.Shape = g, &g.Sig, 0
}

// usesClosure reports whether a function reads the value that it was called through.
func usesClosure(g *ir.Func) bool {
	for _, v := range g.Entry.Values {
		if v.Op == ir.OpClosure {
			return true
		}
	}
	return false
}

// knownIndex returns the function that an index names: a constant, or an entry of an itab in the
// data segment. An index to call is read only from itabs, and itabs never change.
func knownIndex(m *ir.Module, v *ir.Value) *ir.Func {
	switch v.Op {
	case ir.OpConst:
		return funcAt(m, v.Aux)
	case ir.OpLoad:
		if p := v.Args[0]; p.Op == ir.OpConst && p.Aux != 0 {
			return staticClosure(m, p.Aux+v.Aux)
		}
	}
	return nil
}
