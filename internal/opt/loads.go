package opt

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// forwardLoads replaces loads by values that are known to be in memory: stored or loaded before, on
// every path, and not changed since. It also drops stores of values that are there already. A load
// or move from a copy reads the original while that is unchanged: then the copy may become
// unnecessary (deadLocals).
//
// A table of known memory is carried through the blocks in reverse postorder. Where paths meet, the
// common entries stay; at the head of a loop, those that nothing in the loop may change. Calls, and
// loop headers where the goroutine may give way, change everything except objects whose address
// stays private to the function.
//
// Aliasing: the same base and different offsets do not overlap; different objects (locals, new
// objects, the data segment) do not; a parameter does not point to a new object; a word that holds
// a pointer is only ever written as a pointer (Go's rules for unsafe.Pointer allow nothing else).
func forwardLoads(s *state) {
	any := false
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if v.Op == ir.OpLoad || v.Op == ir.OpMove {
				any = true
			}
		}
	}
	if !any {
		return
	}
	fw := &forwarder{state: s, alias: newAliases(s)}
	fw.run()
	if fw.found {
		s.changed = true
		s.sweep()
	}
}

const maxKnown = 32 // entries of the table

// A place is an address in the form that places are compared in: base + idx*scale + off.
type place struct {
	base  *ir.Value // nil: off is an address of the data segment
	idx   *ir.Value
	scale int64
	off   int64
	root  int32
}

// known is an entry of the table: size bytes at the place hold val, or zeros, or
// the same as those at another place.
type known struct {
	place
	size int64
	val  *ir.Value // nil: zeros
	ptr  bool      // holds a pointer, for aliasing
	raw  bool      // a loaded float: storing it makes a NaN canonical

	copied bool // the bytes are those at from, which addr is the address of
	from   place
	addr   *ir.Value
}

// roots of addresses
type rootKind uint8

const (
	rootOther rootKind = iota
	rootArg
	rootData
	rootLocal
	rootNew
)

type root struct {
	kind    rootKind
	private bool // its address is only used for accesses
}

// aliases says which object each address belongs to.
type aliases struct {
	roots []root
	of    []int32     // by value ID: index into roots
	first []*ir.Value // by local: the address that represents all
}

func newAliases(s *state) *aliases {
	f := s.f
	a := &aliases{of: make([]int32, f.NumValues()), first: make([]*ir.Value, len(f.Locals))}
	a.roots = make([]root, 3+len(f.Locals), 8+len(f.Locals))
	a.roots[1].kind = rootArg
	a.roots[2].kind = rootData
	for i := range f.Locals {
		a.roots[3+i] = root{rootLocal, true}
	}
	order := s.Dom().Order
	for _, b := range order {
		for _, v := range b.Values {
			if v.Type != ir.Ptr {
				continue
			}
			switch v.Op {
			case ir.OpArg, ir.OpClosure:
				a.of[v.ID] = 1
			case ir.OpConst:
				if v.Aux != 0 {
					a.of[v.ID] = 2
				}
			case ir.OpLocalAddr:
				a.of[v.ID] = int32(3 + v.Aux)
				if a.first[v.Aux] == nil {
					a.first[v.Aux] = v
				}
			case ir.OpNew, ir.OpNewArray:
				a.of[v.ID] = int32(len(a.roots))
				a.roots = append(a.roots, root{rootNew, true})
			case ir.OpPtrAdd, ir.OpPtrIdx, ir.OpCopy:
				a.of[v.ID] = a.of[v.Args[0].ID]
			}
		}
	}
	leaks := func(v *ir.Value) { a.roots[a.of[v.ID]].private = false }
	for _, b := range order {
		for _, v := range b.Values {
			switch v.Op {
			case ir.OpLoad, ir.OpNilCheck, ir.OpEq, ir.OpNe, ir.OpClear, ir.OpMove, ir.OpMoveN, ir.OpClearN,
				ir.OpMemEq, ir.OpMemCmp, ir.OpMemHash, ir.OpIndexByte, ir.OpPtrAdd, ir.OpPtrIdx, ir.OpCopy, ir.OpKeep:
			case ir.OpStore:
				leaks(v.Args[1])
			default:
				for _, x := range v.Args {
					leaks(x)
				}
			}
		}
		for _, r := range b.Rets {
			leaks(r)
		}
	}
	a.roots[0].private, a.roots[1].private, a.roots[2].private = false, false, false
	return a
}

// place brings an address into comparable form.
func (a *aliases) place(p *ir.Value, off int64) place {
	p = origin(p)
	for {
		switch p.Op {
		case ir.OpPtrAdd:
			if c := origin(p.Args[1]); c.Op == ir.OpConst {
				off += c.Aux
				p = origin(p.Args[0])
				continue
			}
		case ir.OpConst:
			if p.Aux != 0 {
				return place{off: off + p.Aux, root: 2}
			}
		case ir.OpLocalAddr:
			return place{base: a.first[p.Aux], off: off, root: a.rootOf(p)}
		case ir.OpPtrIdx:
			i, c := addConst(origin(p.Args[1]))
			base := origin(p.Args[0])
			if base.Op == ir.OpLocalAddr {
				base = a.first[base.Aux]
			}
			return place{base: base, idx: origin(i), scale: p.Aux, off: off + p.Aux2 + c*p.Aux, root: a.rootOf(p)}
		}
		return place{base: p, off: off, root: a.rootOf(p)}
	}
}

func (a *aliases) rootOf(p *ir.Value) int32 {
	if int(p.ID) < len(a.of) {
		return a.of[p.ID]
	}
	return 0
}

func (a *aliases) private(r int32) bool { return a.roots[r].private }

// apart reports whether accesses under two roots never meet.
func (a *aliases) apart(r, q int32) bool {
	if r == q {
		return false
	}
	x, y := a.roots[r], a.roots[q]
	if x.private || y.private {
		return true
	}
	if x.kind < y.kind {
		x, y = y, x
	}
	// The data segment, locals and new objects are different things; what a
	// parameter points to existed before the new object and the local.
	return y.kind >= rootData || x.kind >= rootLocal && y.kind == rootArg
}

// overlap reports whether n bytes at p may overlap m bytes at q.
func (a *aliases) overlap(p *place, n int64, q *place, m int64) bool {
	if p.base == q.base && p.idx == q.idx && p.scale == q.scale {
		return p.off < q.off+m && q.off < p.off+n
	}
	return !a.apart(p.root, q.root)
}

const unknownSize = 1 << 40

type forwarder struct {
	*state
	alias *aliases
	table []known
	outs  [][]known // by block ID
	found bool
}

func (fw *forwarder) run() {
	d := fw.Dom()
	heads := loopHeads(fw.f)
	var byHead []*ir.Loop
	fw.outs = make([][]known, fw.f.NumBlocks())
	waiting := make([]int32, fw.f.NumBlocks()) // successors that have not read the block's table yet
	for _, b := range d.Order {
		fw.table = fw.table[:0]
		switch {
		case len(b.Preds) == 0:
		case heads[b.ID]:
			if byHead == nil {
				byHead = make([]*ir.Loop, fw.f.NumBlocks())
				for _, lp := range fw.Loops().List {
					byHead[lp.Header.ID] = lp
				}
			}
			if lp := byHead[b.ID]; lp != nil && !fw.Loops().Irreducible {
				fw.meet(b, d)
				if len(fw.table) > 0 {
					fw.loop(lp)
				}
			}
		default:
			fw.meet(b, d)
		}
		for _, p := range b.Preds {
			if waiting[p.ID]--; waiting[p.ID] == 0 {
				fw.outs[p.ID] = nil
			}
		}
		for _, v := range b.Values {
			if v.Op == ir.OpCopy {
				continue
			}
			settle(v.Args)
			fw.step(1)
			fw.value(v)
		}
		waiting[b.ID] += int32(len(b.Succs))
		if waiting[b.ID] > 0 && len(fw.table) > 0 {
			fw.outs[b.ID] = append([]known(nil), fw.table...)
		}
	}
}

// meet sets the table to the entries that all visited predecessors have in common.
func (fw *forwarder) meet(b *ir.Block, d *ir.Dom) {
	n := d.Number(b)
	first := true
	for _, p := range b.Preds {
		if d.Number(p) >= n {
			continue
		}
		out := fw.outs[p.ID]
		if first {
			first = false
			fw.table = append(fw.table[:0], out...)
			continue
		}
		k := 0
		for i := range fw.table {
			e := &fw.table[i]
			for j := range out {
				o := &out[j]
				if o.place == e.place && o.size == e.size && origin2(o.val) == origin2(e.val) && o.copied == e.copied &&
					o.from == e.from && o.addr == e.addr {
					fw.table[k] = *e
					fw.table[k].raw = e.raw || o.raw
					k++
					break
				}
			}
		}
		fw.table = fw.table[:k]
		if k == 0 {
			return
		}
	}
}

func origin2(v *ir.Value) *ir.Value {
	if v == nil {
		return nil
	}
	return origin(v)
}

// loop removes from the table what the loop may change.
func (fw *forwarder) loop(lp *ir.Loop) {
	fw.killCopies() // the header gives way
	for _, b := range lp.Blocks {
		for _, v := range b.Values {
			if v.HasEffect(ir.WriteMem | ir.IsCall) {
				fw.clobber(v)
				if len(fw.table) == 0 {
					return
				}
			}
		}
	}
}

// kill drops what a write of n bytes may change.
func (fw *forwarder) kill(p place, n int64, scalar, ptr bool) {
	k := 0
	for i := range fw.table {
		e := &fw.table[i]
		if e.copied && fw.alias.overlap(&e.from, e.size, &p, n) {
			continue
		}
		if fw.alias.overlap(&e.place, e.size, &p, n) {
			same := e.base == p.base && e.idx == p.idx && e.scale == p.scale
			if !scalar || same || e.val == nil || e.ptr == ptr {
				continue
			}
		}
		fw.table[k] = *e
		k++
	}
	fw.table = fw.table[:k]
}

// killShared drops the entries of memory that others can reach.
func (fw *forwarder) killShared() {
	k := 0
	for i := range fw.table {
		if e := &fw.table[i]; fw.alias.private(e.root) && !e.copied {
			fw.table[k] = *e
			k++
		}
	}
	fw.table = fw.table[:k]
}

// killCopies drops the entries of copies. After a safepoint nothing may read the source of a copy
// that did not read it before: its contents may not be live there.
func (fw *forwarder) killCopies() {
	fw.table = slices.DeleteFunc(fw.table, func(e known) bool { return e.copied })
}

// source returns the entry that says where n bytes at p were copied from, nil if
// there is none.
func (fw *forwarder) source(p *place, n int64) *known {
	for i := len(fw.table) - 1; i >= 0; i-- {
		e := &fw.table[i]
		if e.copied && e.base == p.base && e.idx == p.idx && e.scale == p.scale && e.off <= p.off && p.off+n <= e.off+e.size {
			return e
		}
	}
	return nil
}

func (fw *forwarder) enter(e known) {
	if len(fw.table) >= maxKnown {
		copy(fw.table, fw.table[1:])
		fw.table = fw.table[:maxKnown-1]
	}
	fw.table = append(fw.table, e)
}

// clobber applies what an operation may do to memory.
func (fw *forwarder) clobber(v *ir.Value) {
	switch {
	case v.HasEffect(ir.IsCall):
		fw.killShared()
	case v.Op == ir.OpStore:
		x := v.Args[1]
		fw.kill(fw.alias.place(v.Args[0], v.Aux), x.Type.Size(), true, x.Type == ir.Ptr)
	case v.Op == ir.OpMove || v.Op == ir.OpClear:
		fw.kill(fw.alias.place(v.Args[0], 0), v.Aux, false, false)
	case v.Op == ir.OpMoveN || v.Op == ir.OpClearN:
		p := fw.alias.place(v.Args[0], 0)
		p.base, p.idx = v, v // equal to no other place
		fw.kill(p, unknownSize, false, false)
	}
}

func (fw *forwarder) value(v *ir.Value) {
	switch v.Op {
	case ir.OpLoad:
		p := fw.alias.place(v.Args[0], v.Aux)
		n := v.Type.Size()
		for i := len(fw.table) - 1; i >= 0; i-- {
			e := &fw.table[i]
			if e.base != p.base || e.idx != p.idx || e.scale != p.scale {
				continue
			}
			switch {
			case e.copied:
			case e.val == nil && e.off <= p.off && p.off+n <= e.off+e.size:
				becomesConst(v, 0)
				fw.found = true
				return
			case e.val != nil && e.off == p.off && e.val.Type == v.Type:
				becomes(v, origin(e.val))
				fw.found = true
				return
			}
		}
		if e := fw.source(&p, n); e != nil && p.off-e.off <= ir.MaxAccessOffset {
			v.Args[0], v.Aux = e.addr, p.off-e.off
			fw.found = true
		}
		fw.enter(known{place: p, size: n, val: v, ptr: v.Type == ir.Ptr, raw: v.Type.IsFloat()})
	case ir.OpStore:
		p := fw.alias.place(v.Args[0], v.Aux)
		x := v.Args[1]
		for i := range fw.table {
			e := &fw.table[i]
			// With package unsafe the load that brought x may fault, and would be dead without the store.
			if e.place == p && e.val != nil && !e.raw && fw.f.Flags&ir.Unsafe == 0 && sameScalar(origin(e.val), x) {
				deleted(v)
				fw.found = true
				return
			}
		}
		fw.clobber(v)
		fw.enter(known{place: p, size: x.Type.Size(), val: x, ptr: x.Type == ir.Ptr})
	case ir.OpClear:
		fw.clobber(v)
		fw.enter(known{place: fw.alias.place(v.Args[0], 0), size: v.Aux})
	case ir.OpMove:
		fw.move(v)
	case ir.OpNew:
		fw.killCopies()
		fw.enter(known{place: place{base: v, root: fw.alias.rootOf(v)}, size: v.Aux2})
	default:
		if v.HasEffect(ir.Safepoint) {
			fw.killCopies()
		}
		if v.HasEffect(ir.WriteMem | ir.IsCall) {
			fw.clobber(v)
		}
	}
}

func sameScalar(x, y *ir.Value) bool {
	return x == y || x.Op == ir.OpConst && y.Op == ir.OpConst && x.Type == y.Type && x.Aux == y.Aux
}

// move records after a move the known contents of its source, and that the two are equal. It copies
// from the original of its source: then the source may become unnecessary.
func (fw *forwarder) move(v *ir.Value) {
	dst, src := fw.alias.place(v.Args[0], 0), fw.alias.place(v.Args[1], 0)
	if e := fw.source(&src, v.Aux); e != nil && e.off == src.off {
		v.Args[1] = e.addr
		src = e.from
		fw.found = true
		if src == dst {
			deleted(v)
			return
		}
	}
	var copied [8]known
	n := 0
	apart := !fw.alias.overlap(&dst, v.Aux, &src, v.Aux)
	if apart {
		for i := range fw.table {
			e := &fw.table[i]
			if !e.copied && e.base == src.base && e.idx == src.idx && e.scale == src.scale && e.off >= src.off &&
				e.off+e.size <= src.off+v.Aux && n < len(copied) {
				c := *e
				c.place = dst
				c.off = e.off - src.off + dst.off
				copied[n] = c
				n++
			}
		}
	}
	fw.clobber(v)
	for _, c := range copied[:n] {
		fw.enter(c)
	}
	if apart {
		fw.enter(known{place: dst, size: v.Aux, copied: true, from: src, addr: v.Args[1]})
	}
}
