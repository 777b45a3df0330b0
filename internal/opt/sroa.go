package opt

import (
	"sort"

	"github.com/gyrvm/gyr/internal/ir"
)

// scalarReplace turns locals into SSA names. If the address of a local is only used to load, store,
// clear and move at constant offsets, the local is cut into slots, one for each scalar that the
// function accesses, and each slot becomes a variable.
//
// Moves between locals become assignments of their slots; moves from and to other memory become
// loads and stores. A local that the recovery block can reach stays in memory, since no SSA name
// gets there.
//
// The pass belongs to phase A, because locals make up the frame: it removes the replaced ones from
// the function's list.
func scalarReplace(s *state) {
	if len(s.f.Locals) == 0 {
		return
	}
	r := &replacer{state: s}
	if r.collect() && r.fitMoves() {
		r.rewrite()
	}
	dropLocals(s)
}

const (
	maxSlots     = 32 // of one local
	maxCopySlots = 8  // of a local that is copied to memory
)

// A slot is one scalar inside a local.
type slot struct {
	off      int64
	typ      ir.Type
	variable int32
}

// A candidate is a local that may be replaced.
type candidate struct {
	ok     bool
	read   bool // it is the source of a move
	copied bool // moved to memory or to a local that stays
	slots  []slot
	moves  []*ir.Value
	queued bool
}

type replacer struct {
	*state
	inserter
	local  []int32 // by value ID: number of the local that the value points into, plus 1
	off    []int64 // by value ID: the offset in that local
	locals []candidate
	bulk   []*ir.Value // moves and clears of locals
}

// pointsInto returns the local that an address points into, or -1, and the offset.
func (r *replacer) pointsInto(v *ir.Value) (int, int64) {
	if int(v.ID) >= len(r.local) {
		return -1, 0
	}
	return int(r.local[v.ID]) - 1, r.off[v.ID]
}

// collect finds the candidates and the slots that loads and stores need. It reports whether any
// candidate is left.
func (r *replacer) collect() bool {
	f := r.f
	r.local = make([]int32, f.NumValues())
	r.off = make([]int64, f.NumValues())
	r.locals = make([]candidate, len(f.Locals))
	for i := range r.locals {
		r.locals[i].ok = true
	}
	order := r.Dom().Order
	for _, b := range order {
		for _, v := range b.Values {
			switch v.Op {
			case ir.OpLocalAddr:
				r.local[v.ID] = int32(v.Aux) + 1
			case ir.OpPtrAdd:
				if n := r.local[v.Args[0].ID]; n != 0 && v.Args[1].Op == ir.OpConst {
					r.local[v.ID] = n
					r.off[v.ID] = r.off[v.Args[0].ID] + v.Args[1].Aux
				}
			}
		}
	}
	for _, b := range order {
		for _, v := range b.Values {
			r.uses(v)
		}
		if b.Ctrl != nil {
			r.escapes(b.Ctrl)
		}
		for _, x := range b.Rets {
			r.escapes(x)
		}
	}
	r.keepForRecovery()
	for i := range r.locals {
		if r.locals[i].ok {
			return true
		}
	}
	return false
}

func (r *replacer) escapes(v *ir.Value) {
	if n := r.local[v.ID]; n != 0 {
		r.locals[n-1].ok = false
	}
}

func (r *replacer) uses(v *ir.Value) {
	switch v.Op {
	case ir.OpLoad, ir.OpStore:
		if v.Op == ir.OpStore {
			r.escapes(v.Args[1])
		}
		if n, off := r.pointsInto(v.Args[0]); n >= 0 {
			t := v.Type
			if v.Op == ir.OpStore {
				t = v.Args[1].Type
			}
			r.need(n, off+v.Aux, t)
		}
	case ir.OpMove, ir.OpClear:
		at := false
		for i, a := range v.Args {
			if n, off := r.pointsInto(a); n >= 0 {
				l := &r.locals[n]
				if i == 0 || a != v.Args[0] {
					l.moves = append(l.moves, v)
				}
				l.read = l.read || i == 1
				if off < 0 || off+v.Aux > r.f.Locals[n].Size {
					l.ok = false
				}
				at = true
			}
		}
		if at {
			r.bulk = append(r.bulk, v)
		}
	case ir.OpPtrAdd:
		if r.local[v.ID] == 0 {
			r.escapes(v.Args[0])
		}
	case ir.OpNilCheck:
	default:
		for _, a := range v.Args {
			r.escapes(a)
		}
	}
}

// need gives a local a slot and reports whether something changed. A slot that overlaps another one
// partially keeps the local in memory.
func (r *replacer) need(n int, off int64, t ir.Type) bool {
	l := &r.locals[n]
	if !l.ok {
		return false
	}
	if off < 0 || off+t.Size() > r.f.Locals[n].Size || len(l.slots) >= maxSlots {
		l.ok = false
		return true
	}
	i := sort.Search(len(l.slots), func(i int) bool { return l.slots[i].off+l.slots[i].typ.Size() > off })
	if i < len(l.slots) && l.slots[i].off < off+t.Size() {
		if l.slots[i].off == off && l.slots[i].typ == t {
			return false
		}
		l.ok = false
		return true
	}
	l.slots = append(l.slots, slot{})
	copy(l.slots[i+1:], l.slots[i:])
	l.slots[i] = slot{off: off, typ: t}
	return true
}

// keepForRecovery rejects the locals that code from the recovery block on uses.
func (r *replacer) keepForRecovery() {
	f := r.f
	if f.Recover == nil {
		return
	}
	reached := reachableFrom(f, f.Recover)
	for _, b := range f.Blocks {
		if !reached[b.ID] {
			continue
		}
		for _, v := range b.Values {
			if v.Op == ir.OpLocalAddr {
				r.locals[v.Aux].ok = false
			}
			for _, a := range v.Args {
				if n := r.local[a.ID]; n != 0 {
					r.locals[n-1].ok = false
				}
			}
		}
	}
}

// fitMoves makes both sides of every move agree on slots, and decides which locals are replaced. It
// reports whether any is.
func (r *replacer) fitMoves() bool {
	var work []int
	push := func(n int) {
		if !r.locals[n].queued {
			r.locals[n].queued = true
			work = append(work, n)
		}
	}
	drain := func() {
		for len(work) > 0 {
			n := work[len(work)-1]
			work = work[:len(work)-1]
			r.locals[n].queued = false
			for _, m := range r.locals[n].moves {
				r.fit(m, push)
			}
		}
	}
	for n := range r.locals {
		if len(r.locals[n].moves) > 0 {
			push(n)
		}
	}
	drain()
	// A local that is only copied as a whole gains nothing, unless the other side of a copy is
	// replaced: then it has slots. A local that is never read goes.
	for n := range r.locals {
		if l := &r.locals[n]; l.ok && (len(l.slots) == 0 && l.read || l.copied && len(l.slots) > maxCopySlots) {
			l.ok = false
			for _, m := range l.moves {
				for _, a := range m.Args {
					if k, _ := r.pointsInto(a); k >= 0 && k != n {
						push(k)
					}
				}
			}
		}
	}
	drain()
	// The last step may have left other locals with too many slots. They are correct all the same,
	// only not smaller.
	any := false
	for n := range r.locals {
		any = any || r.locals[n].ok
	}
	return any
}

// fit checks one move or clear again after a local changed.
func (r *replacer) fit(m *ir.Value, push func(int)) {
	dst, doff := r.pointsInto(m.Args[0])
	src, soff := -1, int64(0)
	if m.Op == ir.OpMove {
		src, soff = r.pointsInto(m.Args[1])
	}
	dstOK := dst >= 0 && r.locals[dst].ok
	srcOK := src >= 0 && r.locals[src].ok
	if dst >= 0 && dst == src && dstOK {
		// A move inside one local is rare and not worth supporting.
		r.locals[dst].ok = false
		push(dst)
		return
	}
	if dstOK && r.cuts(dst, doff, m.Aux) {
		r.locals[dst].ok = false
		dstOK = false
		push(dst)
	}
	if srcOK && r.cuts(src, soff, m.Aux) {
		r.locals[src].ok = false
		srcOK = false
		push(src)
	}
	switch {
	case m.Op == ir.OpClear:
	case dstOK && srcOK:
		r.copySlots(src, soff, dst, doff, m.Aux, push)
		r.copySlots(dst, doff, src, soff, m.Aux, push)
	case srcOK:
		r.locals[src].copied = true
		if r.fill(src, soff, m.Aux) {
			push(src)
		}
	}
}

// cuts reports whether the end of a range cuts a slot.
func (r *replacer) cuts(n int, off, size int64) bool {
	for _, sl := range r.locals[n].slots {
		a, b := sl.off, sl.off+sl.typ.Size()
		if a < off+size && b > off && (a < off || b > off+size) {
			return true
		}
	}
	return false
}

// copySlots adds the slots of local a in a moved range to local b.
func (r *replacer) copySlots(a int, aoff int64, b int, boff, size int64, push func(int)) {
	// need may change a's list only if a == b, which fit excludes.
	for _, sl := range r.locals[a].slots {
		if sl.off >= aoff && sl.off+sl.typ.Size() <= aoff+size {
			if r.need(b, sl.off-aoff+boff, sl.typ) {
				push(b)
			}
		}
	}
}

// fill covers a range that is copied to memory with slots, words in the gaps. It reports whether
// something changed.
func (r *replacer) fill(n int, off, size int64) bool {
	changed := false
	end := off + size
	for at := off; at < end && r.locals[n].ok; {
		l := &r.locals[n]
		i := sort.Search(len(l.slots), func(i int) bool { return l.slots[i].off+l.slots[i].typ.Size() > at })
		if i < len(l.slots) && l.slots[i].off <= at {
			at = l.slots[i].off + l.slots[i].typ.Size()
			continue
		}
		next := end
		if i < len(l.slots) {
			next = min(next, l.slots[i].off)
		}
		t := ir.I8
		for _, c := range []ir.Type{ir.I64, ir.I32, ir.I16} {
			if at%c.Size() == 0 && next-at >= c.Size() {
				t = c
				break
			}
		}
		if t == ir.I64 && isPtrWord(r.f.Locals[n].Ptrs, at) {
			t = ir.Ptr
		}
		changed = r.need(n, at, t) || changed
		at += t.Size()
	}
	return changed
}

// isPtrWord reports whether the word at an offset is in a pointer map.
func isPtrWord(ptrs []uint64, off int64) bool {
	w := off / 8
	return int(w/64) < len(ptrs) && ptrs[w/64]>>uint(w%64)&1 != 0
}

// rewrite replaces the remaining candidates.
func (r *replacer) rewrite() {
	s := r.state
	var types []ir.Type
	for n := range r.locals {
		l := &r.locals[n]
		if !l.ok {
			continue
		}
		for i := range l.slots {
			l.slots[i].variable = int32(len(types))
			types = append(types, l.slots[i].typ)
		}
	}
	sb := newSSABuilder(s, types)
	for i, b := range s.Dom().Order {
		for _, v := range b.Values {
			r.access(v, int32(i), sb)
		}
	}
	sb.placePhis()
	sb.rename(func(b *ir.Block) { r.renameBlock(b, sb) })
	s.sweep()
	s.changed = true
}

// replaced returns the candidate that an address points into, if it is replaced.
func (r *replacer) replaced(a *ir.Value) (*candidate, int64) {
	n, off := r.pointsInto(a)
	if n < 0 || !r.locals[n].ok {
		return nil, 0
	}
	return &r.locals[n], off
}

func (l *candidate) slotAt(off int64) *slot {
	i := sort.Search(len(l.slots), func(i int) bool { return l.slots[i].off >= off })
	return &l.slots[i]
}

// within returns the slots in a range.
func (l *candidate) within(off, size int64) []slot {
	i := sort.Search(len(l.slots), func(i int) bool { return l.slots[i].off >= off })
	j := i
	for j < len(l.slots) && l.slots[j].off+l.slots[j].typ.Size() <= off+size {
		j++
	}
	return l.slots[i:j]
}

// access tells the SSA builder which variables an operation reads and assigns.
func (r *replacer) access(v *ir.Value, block int32, sb *ssaBuilder) {
	switch v.Op {
	case ir.OpLoad:
		if l, off := r.replaced(v.Args[0]); l != nil {
			sb.use(block, l.slotAt(off+v.Aux).variable)
		}
	case ir.OpStore:
		if l, off := r.replaced(v.Args[0]); l != nil {
			sb.def(block, l.slotAt(off+v.Aux).variable)
		}
	case ir.OpMove:
		if l, off := r.replaced(v.Args[1]); l != nil {
			for _, sl := range l.within(off, v.Aux) {
				sb.use(block, sl.variable)
			}
		}
		fallthrough
	case ir.OpClear:
		if l, off := r.replaced(v.Args[0]); l != nil {
			for _, sl := range l.within(off, v.Aux) {
				sb.def(block, sl.variable)
			}
		}
	}
}

func (r *replacer) renameBlock(b *ir.Block, sb *ssaBuilder) {
	r.start(b)
	for _, v := range b.Values {
		switch v.Op {
		case ir.OpLoad:
			if l, off := r.replaced(v.Args[0]); l != nil {
				becomes(v, sb.get(l.slotAt(off+v.Aux).variable))
			}
		case ir.OpStore:
			if l, off := r.replaced(v.Args[0]); l != nil {
				sb.set(l.slotAt(off+v.Aux).variable, v.Args[1])
				deleted(v)
			}
		case ir.OpClear:
			if l, off := r.replaced(v.Args[0]); l != nil {
				for _, sl := range l.within(off, v.Aux) {
					z := r.newConst(sl.typ, 0)
					z.Pos = v.Pos
					r.add(z)
					sb.set(sl.variable, z)
				}
				deleted(v)
			}
		case ir.OpMove:
			r.renameMove(v, sb)
		case ir.OpNilCheck:
			if l, _ := r.replaced(v.Args[0]); l != nil {
				deleted(v)
			}
		}
		r.add(v)
	}
	r.finish()
}

func (r *replacer) renameMove(v *ir.Value, sb *ssaBuilder) {
	dst, doff := r.replaced(v.Args[0])
	src, soff := r.replaced(v.Args[1])
	switch {
	case dst != nil && src != nil:
		// The slots agree. All are read before the first is assigned.
		from := src.within(soff, v.Aux)
		vals := make([]*ir.Value, len(from))
		for i, sl := range from {
			vals[i] = sb.get(sl.variable)
		}
		for i, sl := range dst.within(doff, v.Aux) {
			sb.set(sl.variable, vals[i])
		}
		deleted(v)
	case dst != nil:
		for _, sl := range dst.within(doff, v.Aux) {
			x := r.f.NewValue(ir.OpLoad, sl.typ, v.Args[1])
			x.Aux = sl.off - doff
			x.Pos = v.Pos
			r.add(x)
			sb.set(sl.variable, x)
		}
		deleted(v)
	case src != nil:
		for _, sl := range src.within(soff, v.Aux) {
			x := r.f.NewValue(ir.OpStore, ir.Void, v.Args[0], sb.get(sl.variable))
			x.Aux = sl.off - soff
			x.Pos = v.Pos
			r.add(x)
		}
		deleted(v)
	}
}

// dropLocals removes the locals whose address is not taken from the list.
func dropLocals(s *state) {
	f := s.f
	// Unused addresses do not count.
	uses := useCounts(f)
	for {
		again := false
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				if (v.Op == ir.OpLocalAddr || v.Op == ir.OpPtrAdd) && uses[v.ID] == 0 {
					for _, a := range v.Args {
						uses[a.ID]--
						again = again || uses[a.ID] == 0 && (a.Op == ir.OpPtrAdd || a.Op == ir.OpLocalAddr)
					}
					deleted(v)
				}
			}
		}
		if !again {
			break
		}
	}
	used := make([]bool, len(f.Locals))
	for _, b := range f.Blocks {
		n := 0
		for _, v := range b.Values {
			if v.Op == ir.OpInvalid {
				continue
			}
			if v.Op == ir.OpLocalAddr {
				used[v.Aux] = true
			}
			b.Values[n] = v
			n++
		}
		clear(b.Values[n:])
		b.Values = b.Values[:n]
	}
	number := make([]int64, len(f.Locals))
	n := int64(0)
	for i := range f.Locals {
		if used[i] {
			f.Locals[n] = f.Locals[i]
			number[i] = n
			n++
		}
	}
	if int(n) == len(f.Locals) {
		return
	}
	clear(f.Locals[n:])
	f.Locals = f.Locals[:n]
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == ir.OpLocalAddr {
				v.Aux = number[v.Aux]
			}
		}
	}
}
