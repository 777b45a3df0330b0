package opt

import (
	"fmt"

	"github.com/gyrvm/gyr/internal/ir"
)

// The second half of captureByValue carries out the decisions.

// A closureShape is the new form of the closures of a function.
type closureShape struct {
	size   int64
	ptrs   []uint64
	layout int64 // when all captures are in
	laid   bool
}

func (sh *closureShape) set(off int64, on bool) {
	w := int(off / 8)
	for len(sh.ptrs) <= w/64 {
		sh.ptrs = append(sh.ptrs, 0)
	}
	if on {
		sh.ptrs[w/64] |= 1 << uint(w%64)
	} else {
		sh.ptrs[w/64] &^= 1 << uint(w%64)
	}
}

// rewrite changes closures, the functions that use them and those that make them, and returns the
// changed functions.
func (c *capturer) rewrite() []*ir.Func {
	shapes := c.shapes()
	var touched []*ir.Func
	seen := map[*ir.Func]bool{}
	touch := func(f *ir.Func) {
		if !seen[f] {
			seen[f] = true
			touched = append(touched, f)
		}
	}
	// The objects, once each.
	instead := map[*ir.Value][]*ir.Value{} // of stores
	var blocks []*ir.Block                 // the blocks of those stores
	for _, s := range c.order {
		if !s.ok {
			continue
		}
		sh := shapes[s.key.fn]
		for _, site := range s.sites {
			site.object.Aux, site.object.Aux2 = sh.layout, sh.size
			instead[site.store] = s.storesAt(site)
			blocks = append(blocks, site.store.Block)
			touch(site.in)
		}
	}
	replaceStores(blocks, instead)
	reads := map[*ir.Func]bool{}
	for _, s := range c.order {
		if s.ok {
			s.rewriteReads()
			touch(s.key.fn)
			reads[s.key.fn] = true
		}
	}
	dropped := map[*ir.Func][]*ir.Value{}
	for _, s := range c.order {
		if s.ok {
			dropped[s.key.fn] = append(dropped[s.key.fn], s.loads...)
		}
	}
	for _, f := range touched {
		if reads[f] {
			dropAddresses(f, dropped[f])
		}
	}
	return touched
}

// shapes says where the closures of each function hold their captures: the first scalar of a
// variable in place of its address, the others at the end.
func (c *capturer) shapes() map[*ir.Func]*closureShape {
	shapes := map[*ir.Func]*closureShape{}
	for _, s := range c.order {
		if len(s.sites) == 0 || len(s.loads) == 0 {
			s.ok = false
		}
		if !s.ok {
			continue
		}
		sh := shapes[s.key.fn]
		if sh == nil {
			o := s.sites[0].object // as lowered
			sh = &closureShape{size: o.Aux2, ptrs: objectPtrs(c.m, o.Aux, o.Aux2)}
			shapes[s.key.fn] = sh
		}
		sh.set(s.key.off, false)
		for i, x := range s.need {
			at := s.key.off
			if i > 0 {
				at = sh.size
				sh.size += 8
			}
			s.moved = append(s.moved, at)
			if x.typ == ir.Ptr {
				sh.set(at, true)
			}
		}
	}
	for _, s := range c.order {
		if sh := shapes[s.key.fn]; s.ok && !sh.laid {
			sh.layout, sh.laid = c.layout(sh.size, sh.ptrs), true
		}
	}
	return shapes
}

// storesAt makes the stores of the variable's scalars that replace the store of its address.
func (s *capture) storesAt(site captureSite) []*ir.Value {
	f, pos := site.in, site.store.Pos
	list := []*ir.Value{}
	for i, x := range s.need {
		l := f.NewValue(ir.OpLoad, x.typ, site.cell)
		l.Aux, l.Pos = x.off, pos
		if o := site.outer; o != nil {
			// From the outer closure, which holds it by value as well.
			l.Args[0] = site.cell.Args[0]
			l.Aux = o.place(x)
		}
		st := f.NewValue(ir.OpStore, ir.Void, site.object, l)
		st.Aux, st.Pos = s.moved[i], pos
		list = append(list, l, st)
	}
	return list
}

// replaceStores replaces stores of some blocks by values.
func replaceStores(blocks []*ir.Block, instead map[*ir.Value][]*ir.Value) {
	done := map[*ir.Block]bool{}
	var ins inserter
	for _, b := range blocks {
		if done[b] {
			continue
		}
		done[b] = true
		ins.start(b)
		for _, v := range b.Values {
			list, replaced := instead[v]
			if !replaced {
				ins.add(v)
			}
			for _, n := range list {
				ins.add(n)
			}
		}
		ins.finish()
	}
}

// place returns the offset at which a closure holds a scalar of the variable.
func (s *capture) place(x scalarAt) int64 {
	for i, y := range s.need {
		if x == y {
			return s.moved[i]
		}
	}
	panic("opt: a captured scalar has no place")
}

// rewriteReads loads the variable from the closure.
func (s *capture) rewriteReads() {
	for _, r := range s.reads {
		r.load.Args[0] = s.loads[0].Args[0]
		r.load.Aux = s.place(scalarAt{r.off, r.load.Type})
	}
}

// dropAddresses removes from a function the loads of unused addresses, their nil checks, and sums
// with them.
func dropAddresses(f *ir.Func, loads []*ir.Value) {
	gone := make(map[*ir.Value]bool, len(loads))
	for _, l := range loads {
		gone[l] = true
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == ir.OpNilCheck {
				if p, _ := ptrBase(v.Args[0]); gone[p] {
					deleted(v)
				}
			}
		}
	}
	for _, l := range loads {
		// It is now unused, or only dead values use it.
		becomesConst(l, 0)
	}
	(&state{f: f}).sweep()
}

// layout returns the number of a layout, making it if it is new.
func (c *capturer) layout(size int64, ptrs []uint64) int64 {
	for len(ptrs) > 0 && ptrs[len(ptrs)-1] == 0 {
		ptrs = ptrs[:len(ptrs)-1]
	}
	if len(ptrs) == 0 {
		return ir.NoPointers
	}
	if len(c.layouts) == 0 {
		for i, l := range c.m.Layouts {
			if k := fmt.Sprint(l.Size, l.Ptrs); i > 0 {
				if _, ok := c.layouts[k]; !ok {
					c.layouts[k] = int64(i)
				}
			}
		}
	}
	k := fmt.Sprint(size, ptrs)
	n, ok := c.layouts[k]
	if !ok {
		n = int64(len(c.m.Layouts))
		c.m.Layouts = append(c.m.Layouts, ir.Layout{Size: size, Ptrs: ptrs})
		c.layouts[k] = n
	}
	return n
}
