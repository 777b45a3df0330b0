package opt

import (
	"fmt"

	"github.com/gyrvm/gyr/internal/ir"
)

// captureByValue copies a captured variable into the closure object instead of
// its address, when nobody assigns the variable after a closure was made of it:
// its functions (and the functions of closures that those make in turn) only
// load it, and every store to it in the function that made it comes before. The
// variable then needs no cell on the heap, as in gc.
//
// The pass looks at the whole module: at each function that is reached through
// a closure, and at each place where such a closure is made. It starts with all
// captures that look right by themselves and drops those that depend on one
// that is not, until nothing changes.
func captureByValue(m *ir.Module) []*ir.Func {
	c := &capturer{m: m, slots: map[slotKey]*capture{}, layouts: map[string]int64{}}
	c.collect()
	c.settle()
	return c.rewrite()
}

const maxCaptured = 4 // scalars of one variable

// A slotKey names a word of the closures of a function.
type slotKey struct {
	fn  *ir.Func
	off int64
}

// A capture is what is known of a captured variable.
type capture struct {
	key   slotKey
	ok    bool
	loads []*ir.Value // loads of the cell's address in the function
	reads []read      // loads of the variable
	inner []*capture  // captures of the same variable by closures made in the function
	sites []captureSite
	need  []scalarAt // scalars that the closure must carry
	moved []int64    // where they stand in the closure
}

// A read is a load of the variable in the function.
type read struct {
	load *ir.Value
	off  int64
}

type scalarAt struct {
	off int64
	typ ir.Type
}

// A captureSite is a place where a closure is made.
type captureSite struct {
	in     *ir.Func
	object *ir.Value
	store  *ir.Value
	cell   *ir.Value // the address stored
	outer  *capture  // the cell is itself captured, through this
}

type capturer struct {
	m       *ir.Module
	slots   map[slotKey]*capture
	order   []*capture
	makers  map[*ir.Func]int // places where closures of a function are made
	layouts map[string]int64
}

func (c *capturer) slot(f *ir.Func, off int64) *capture {
	k := slotKey{f, off}
	s := c.slots[k]
	if s == nil {
		s = &capture{key: k, ok: true}
		c.slots[k] = s
		c.order = append(c.order, s)
	}
	return s
}

// collect finds the captures by address and all places that make closures.
func (c *capturer) collect() {
	c.makers = map[*ir.Func]int{}
	for _, f := range c.m.Own() {
		if f.Entry != nil {
			c.captured(f)
		}
	}
	for _, f := range c.m.Own() {
		if f.Entry != nil {
			c.made(f)
		}
	}
	for _, s := range c.order {
		// A closure that is made nowhere, since what made it cannot be reached, has no
		// variable; those made in its function must not look for it.
		if len(s.sites) == 0 || len(s.sites) != c.makers[s.key.fn] {
			s.ok = false
		}
	}
}

// captured looks at how a function uses its closure.
func (c *capturer) captured(f *ir.Func) {
	if !usesClosure(f) {
		return
	}
	var users [][]*ir.Value
	for _, v := range f.Entry.Values {
		if v.Op != ir.OpClosure {
			continue
		}
		if users == nil {
			users = userLists(f)
		}
		plain := true
		for _, u := range users[v.ID] {
			plain = plain && u != nil && u.Op == ir.OpLoad
		}
		if !plain {
			// The closure itself is used as a value: nothing may move in it.
			for _, u := range users[v.ID] {
				if u != nil && u.Op == ir.OpLoad && u.Type == ir.Ptr {
					c.slot(f, u.Aux).ok = false
				}
			}
			continue
		}
		for _, u := range users[v.ID] {
			if u.Type != ir.Ptr {
				continue
			}
			s := c.slot(f, u.Aux)
			s.loads = append(s.loads, u)
			c.cellUses(s, u, 0, users)
		}
	}
}

// cellUses looks at what a function does with the address of a captured variable.
func (c *capturer) cellUses(s *capture, p *ir.Value, off int64, users [][]*ir.Value) {
	for _, u := range users[p.ID] {
		switch {
		case u == nil:
			s.ok = false
		case u.Op == ir.OpLoad:
			s.reads = append(s.reads, read{u, off + u.Aux})
			s.want(scalarAt{off + u.Aux, u.Type})
		case u.Op == ir.OpNilCheck:
		case u.Op == ir.OpPtrAdd && u.Args[0] == p && u.Args[1].Op == ir.OpConst:
			c.cellUses(s, u, off+u.Args[1].Aux, users)
		case u.Op == ir.OpStore && u.Args[1] == p && off == 0:
			if g := c.closureOf(s.key.fn, u); g != nil {
				s.inner = append(s.inner, c.slot(g, u.Aux))
			} else {
				s.ok = false
			}
		default:
			s.ok = false
		}
	}
}

// closureOf returns the function of the closure into which a store puts a capture.
func (c *capturer) closureOf(f *ir.Func, store *ir.Value) *ir.Func {
	p := store.Args[0]
	if p.Op != ir.OpNew || store.Aux < 8 {
		return nil
	}
	// The index is stored first, in the same block.
	for _, v := range p.Block.Values {
		if v.Op == ir.OpStore && v.Args[0] == p && v.Aux == 0 {
			if g := closureStore(c.m, v); g != nil && !c.m.InBase(g) && g.Entry != nil && usesClosure(g) {
				return g
			}
			return nil
		}
	}
	return nil
}

// made looks at the closures that a function makes.
func (c *capturer) made(f *ir.Func) {
	var users [][]*ir.Value
	var loops *ir.Loops
	var dom *ir.Dom
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			g := closureStore(c.m, v)
			if g == nil || c.m.InBase(g) || g.Entry == nil || v.Args[0].Op != ir.OpNew || !usesClosure(g) {
				continue
			}
			c.makers[g]++
			object := v.Args[0]
			if users == nil {
				users = userLists(f)
				dom = ir.NewDom(f)
				loops = ir.NewLoops(dom)
			}
			for _, u := range users[object.ID] {
				if u == nil || u.Op != ir.OpStore || u.Args[0] != object || u.Args[1].Type != ir.Ptr {
					continue
				}
				s := c.slots[slotKey{g, u.Aux}]
				if s == nil {
					continue
				}
				site := captureSite{in: f, object: object, store: u, cell: u.Args[1]}
				if o := c.outerOf(f, site.cell); o != nil {
					site.outer = o
				} else if !c.settled(f, s, site, users, dom, loops) {
					s.ok = false
				}
				s.sites = append(s.sites, site)
			}
		}
	}
}

// outerOf returns the capture of f from which a cell's address was loaded.
func (c *capturer) outerOf(f *ir.Func, cell *ir.Value) *capture {
	if cell.Op == ir.OpLoad && cell.Args[0].Op == ir.OpClosure {
		return c.slots[slotKey{f, cell.Aux}]
	}
	return nil
}

// settled reports whether a new cell has its final value when a closure takes
// its address, and the address goes nowhere but to closures.
func (c *capturer) settled(f *ir.Func, s *capture, site captureSite, users [][]*ir.Value, dom *ir.Dom, loops *ir.Loops) bool {
	cell := site.cell
	if cell.Op != ir.OpNew || loops.Irreducible {
		return false
	}
	var check func(p *ir.Value) bool
	check = func(p *ir.Value) bool {
		for _, u := range users[p.ID] {
			if u == nil {
				return false
			}
			switch u.Op {
			case ir.OpLoad, ir.OpNilCheck:
			case ir.OpPtrAdd:
				if u.Args[1].Op != ir.OpConst || !check(u) {
					return false
				}
			case ir.OpStore, ir.OpClear, ir.OpMove:
				if u.Op == ir.OpStore && u.Args[1] == p {
					g := c.closureOf(f, u)
					if g == nil || p != cell {
						return false
					}
					t := c.slots[slotKey{g, u.Aux}]
					if t == nil {
						return false
					}
					if t != s {
						// Both or none: the other's function must not assign it.
						s.inner = append(s.inner, t)
					}
					continue
				}
				if u.Args[0] != p {
					if u.Op == ir.OpMove {
						continue // read
					}
					return false
				}
				// An assignment: before the closure, and not again before the next cell.
				if !before(u, site.store, dom) || loops.Of(u.Block) != loops.Of(cell.Block) {
					return false
				}
			default:
				return false
			}
		}
		return true
	}
	return check(cell)
}

// before reports whether a runs before b whenever b runs.
func before(a, b *ir.Value, dom *ir.Dom) bool {
	if a.Block != b.Block {
		return dom.Dominates(a.Block, b.Block)
	}
	for _, v := range a.Block.Values {
		if v == a {
			return true
		}
		if v == b {
			return false
		}
	}
	return false
}

// want adds a scalar that the closure must carry; overlapping ones rule it out.
func (s *capture) want(x scalarAt) bool {
	for _, y := range s.need {
		if x == y {
			return false
		}
		if x.off < y.off+y.typ.Size() && y.off < x.off+x.typ.Size() {
			s.ok = false
			return false
		}
	}
	s.need = append(s.need, x)
	if len(s.need) > maxCaptured {
		s.ok = false
	}
	return true
}

// settle drops captures until those that are left only depend on one another.
func (c *capturer) settle() {
	for changed := true; changed; {
		changed = false
		drop := func(s *capture) {
			if s.ok {
				s.ok = false
				changed = true
			}
		}
		for _, s := range c.order {
			for _, t := range s.inner {
				if !t.ok {
					drop(s)
				}
				// A closure made inside takes its scalars from this one.
				for _, site := range t.sites {
					if site.outer != s {
						continue
					}
					for _, x := range t.need {
						if s.want(x) {
							changed = true
						}
					}
				}
			}
			for _, site := range s.sites {
				if site.outer != nil && !site.outer.ok {
					drop(s)
				}
			}
		}
	}
}

// rewrite changes closures, the functions that use them and those that make
// them, and returns what it changed.
func (c *capturer) rewrite() []*ir.Func {
	var touched []*ir.Func
	seen := map[*ir.Func]bool{}
	touch := func(f *ir.Func) {
		if !seen[f] {
			seen[f] = true
			touched = append(touched, f)
		}
	}
	type shape struct {
		layout, size int64
		object       *ir.Value // one of the function's closures, as lowered
	}
	shapes := map[*ir.Func]*shape{}
	for _, s := range c.order {
		if !s.ok || len(s.sites) == 0 || len(s.loads) == 0 {
			s.ok = false
			continue
		}
		f := s.key.fn
		sh := shapes[f]
		if sh == nil {
			o := s.sites[0].object
			sh = &shape{o.Aux, o.Aux2, o}
			shapes[f] = sh
		}
		ptrs := objectPtrs(c.m, sh.layout, sh.size)
		set := func(off int64, on bool) {
			w := int(off / 8)
			for len(ptrs) <= w/64 {
				ptrs = append(ptrs, 0)
			}
			if on {
				ptrs[w/64] |= 1 << uint(w%64)
			} else {
				ptrs[w/64] &^= 1 << uint(w%64)
			}
		}
		set(s.key.off, false)
		for i, x := range s.need {
			at := s.key.off
			if i > 0 {
				at = sh.size
				sh.size += 8
			}
			s.moved = append(s.moved, at)
			if x.typ == ir.Ptr {
				set(at, true)
			}
		}
		sh.layout = c.layout(sh.size, ptrs)
	}
	// The objects, once each.
	for _, s := range c.order {
		if !s.ok {
			continue
		}
		sh := shapes[s.key.fn]
		for _, site := range s.sites {
			site.object.Aux, site.object.Aux2 = sh.layout, sh.size
			c.rewriteSite(s, site)
			touch(site.in)
		}
	}
	for _, s := range c.order {
		if s.ok {
			c.rewriteReads(s)
			touch(s.key.fn)
		}
	}
	return touched
}

// rewriteSite stores the variable's scalars instead of its address.
func (c *capturer) rewriteSite(s *capture, site captureSite) {
	f := site.in
	var ins inserter
	ins.start(site.store.Block)
	for _, v := range site.store.Block.Values {
		if v != site.store {
			ins.add(v)
			continue
		}
		for i, x := range s.need {
			l := f.NewValue(ir.OpLoad, x.typ, site.cell)
			l.Aux, l.Pos = x.off, v.Pos
			if o := site.outer; o != nil {
				// From the outer closure, which holds it by value as well.
				l.Args[0] = site.cell.Args[0]
				l.Aux = o.place(x)
			}
			ins.add(l)
			st := f.NewValue(ir.OpStore, ir.Void, site.object, l)
			st.Aux, st.Pos = s.moved[i], v.Pos
			ins.add(st)
		}
	}
	ins.finish()
}

// place is where a closure holds a scalar of the variable.
func (s *capture) place(x scalarAt) int64 {
	for i, y := range s.need {
		if x == y {
			return s.moved[i]
		}
	}
	panic("opt: a captured scalar has no place")
}

// rewriteReads loads the variable from the closure.
func (c *capturer) rewriteReads(s *capture) {
	for _, r := range s.reads {
		closure := s.loads[0].Args[0]
		r.load.Args[0] = closure
		r.load.Aux = s.place(scalarAt{r.off, r.load.Type})
	}
	f := s.key.fn
	gone := map[*ir.Value]bool{}
	for _, l := range s.loads {
		gone[l] = true
	}
	// What is left of the address are checks that it is not nil and sums with it.
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == ir.OpNilCheck {
				if p, _ := ptrBase(v.Args[0]); gone[p] {
					deleted(v)
				}
			}
		}
	}
	for _, l := range s.loads {
		// Nobody uses it now, or only what is dead.
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
