package opt

import (
	"github.com/gyrvm/gyr/internal/ir"
)

// captureByValue copies a captured variable into the closure object instead of its address, if
// nothing assigns the variable after a closure was made of it: its functions (and the functions of
// closures that those make in turn) only load it, and every store to it in the function that made
// it comes before. The variable then needs no cell on the heap, as in gc.
//
// The pass looks at the whole module: at each function that is reached through a closure, and at
// each place where such a closure is made. It starts with all captures that look right by
// themselves and drops those that depend on a wrong one, until nothing changes.
//
// Programs with thousands of closures of one variable must not take long. So the facts about a cell
// (see cell) or about a closure's place (closureAt) are computed once, not once for each closure.
func captureByValue(m *ir.Module) []*ir.Func {
	c := &capturer{m: m, slots: map[slotKey]*capture{}, layouts: map[string]int64{},
		makes: map[*ir.Block]map[*ir.Value]*ir.Func{}}
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

// A capture holds the facts about a captured variable. One without key and sites stands for a new
// cell: it joins the captures of that cell, which are all by value or none.
type capture struct {
	key   slotKey
	ok    bool
	loads []*ir.Value // loads of the cell's address in the function
	reads []read      // loads of the variable
	inner []*capture  // captures of the same variable by closures made in the function, or of the cell
	sites []captureSite
	need  []scalarAt // scalars that the closure must carry
	moved []int64    // their offsets in the closure
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

	makes map[*ir.Block]map[*ir.Value]*ir.Func // see closureAt
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
		// A closure that is never made, since its maker is unreachable, has no variable;
		// closures made in its function must not look for it.
		if s.key.fn == nil {
			continue
		}
		if len(s.sites) == 0 || len(s.sites) != c.makers[s.key.fn] {
			s.ok = false
		}
	}
}

// captured analyses how a function uses its closure.
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
			// The closure itself is used as a value: nothing in it may move.
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

// cellUses analyses what a function does with the address of a captured variable.
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
			if g := c.closureOf(u); g != nil {
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
func (c *capturer) closureOf(store *ir.Value) *ir.Func {
	p := store.Args[0]
	if p.Op != ir.OpNew || store.Aux < 8 {
		return nil
	}
	return c.closureAt(p)
}

// closureAt returns the function of the closure in a new object: its index is the first word stored
// at offset 0, in the same block.
func (c *capturer) closureAt(p *ir.Value) *ir.Func {
	made := c.makes[p.Block]
	if made == nil {
		made = map[*ir.Value]*ir.Func{}
		for _, v := range p.Block.Values {
			if v.Op != ir.OpStore || v.Aux != 0 || v.Args[0].Op != ir.OpNew || v.Args[0].Block != p.Block {
				continue
			}
			if _, found := made[v.Args[0]]; found {
				continue
			}
			g := closureStore(c.m, v)
			if g != nil && (c.m.InBase(g) || g.Entry == nil || !usesClosure(g)) {
				g = nil
			}
			made[v.Args[0]] = g
		}
		c.makes[p.Block] = made
	}
	return made[p]
}

// made analyses the closures that a function makes.
func (c *capturer) made(f *ir.Func) {
	var in *makerInfo
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			g := closureStore(c.m, v)
			if g == nil || c.m.InBase(g) || g.Entry == nil || v.Args[0].Op != ir.OpNew || !usesClosure(g) {
				continue
			}
			c.makers[g]++
			object := v.Args[0]
			if in == nil {
				in = newMakerInfo(f)
			}
			for _, u := range in.users[object.ID] {
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
				} else if cell := c.cell(in, site.cell); !cell.settled(site.store) {
					s.ok = false
				} else {
					s.inner = append(s.inner, cell.all)
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

// A makerInfo holds the facts about a function that makes closures.
type makerInfo struct {
	users [][]*ir.Value
	dom   *ir.Dom
	loops *ir.Loops
	pos   []int32 // of values in their blocks, by ID
	cells map[*ir.Value]*cellInfo
}

func newMakerInfo(f *ir.Func) *makerInfo {
	in := &makerInfo{users: userLists(f), dom: ir.NewDom(f), pos: make([]int32, f.NumValues()),
		cells: map[*ir.Value]*cellInfo{}}
	in.loops = ir.NewLoops(in.dom)
	for _, b := range f.Blocks {
		for i, v := range b.Values {
			in.pos[v.ID] = int32(i)
		}
	}
	return in
}

// before reports whether a runs before b whenever b runs.
func (in *makerInfo) before(a, b *ir.Value) bool {
	if a.Block != b.Block {
		return in.dom.Dominates(a.Block, b.Block)
	}
	return in.pos[a.ID] <= in.pos[b.ID]
}

// A cellInfo describes a new cell whose address closures of the function take.
type cellInfo struct {
	in   *makerInfo
	ok   bool      // the address goes only to closures, and no assignment is in a loop
	last *ir.Value // the assignment after all others; nil: there is none
	all  *capture
}

// settled reports whether the cell has its final value when a store puts its address into a
// closure, and the address goes only to closures.
func (i *cellInfo) settled(store *ir.Value) bool {
	return i.ok && (i.last == nil || i.in.before(i.last, store))
}

// cell analyses what a function does with a cell.
func (c *capturer) cell(in *makerInfo, cell *ir.Value) *cellInfo {
	i := in.cells[cell]
	if i == nil {
		i = &cellInfo{in: in, all: &capture{ok: true}}
		i.ok = cell.Op == ir.OpNew && !in.loops.Irreducible && c.cellUsers(i, cell, cell)
		in.cells[cell] = i
		if i.ok {
			c.order = append(c.order, i.all)
		}
	}
	return i
}

// cellUsers analyses the uses of a cell's address, or of one inside the cell.
func (c *capturer) cellUsers(i *cellInfo, cell, p *ir.Value) bool {
	for _, u := range i.in.users[p.ID] {
		if u == nil {
			return false
		}
		switch u.Op {
		case ir.OpLoad, ir.OpNilCheck:
		case ir.OpPtrAdd:
			if u.Args[1].Op != ir.OpConst || !c.cellUsers(i, cell, u) {
				return false
			}
		case ir.OpStore, ir.OpClear, ir.OpMove:
			if u.Op == ir.OpStore && u.Args[1] == p {
				g := c.closureOf(u)
				if g == nil || p != cell {
					return false
				}
				t := c.slots[slotKey{g, u.Aux}]
				if t == nil {
					return false
				}
				i.all.inner = append(i.all.inner, t) // the function must not assign it
				continue
			}
			if u.Args[0] != p {
				if u.Op == ir.OpMove {
					continue // read
				}
				return false
			}
			// An assignment: before the closure, and not repeated before the next cell.
			if !i.assigned(u) || i.in.loops.Of(u.Block) != i.in.loops.Of(cell.Block) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// assigned notes an assignment. All must run before a closure is made, so any two of them run in a
// fixed order.
func (i *cellInfo) assigned(u *ir.Value) bool {
	switch {
	case i.last == nil || i.in.before(i.last, u):
		i.last = u
	case !i.in.before(u, i.last):
		return false
	}
	return true
}

// want adds a scalar that the closure must carry; overlapping ones rule it out.
func (s *capture) want(x scalarAt) bool {
	if !s.ok {
		return false // no later query
	}
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

// settle drops captures until the rest depend only on one another.
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
						ok := s.ok
						if s.want(x) || s.ok != ok {
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
