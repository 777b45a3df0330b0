package opt

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// combineMemory merges loads of neighbouring bytes that are assembled into a number into one load,
// and stores that take a number apart into one store, as encoding/binary and every hash do:
//
//	uint32(b[0]) | uint32(b[1])<<8 | …      load i32
//	b[0] = byte(x); b[1] = byte(x>>8) …     store i32
//
// With the highest byte first a bswap is added. The parts may be wider than bytes, and some
// operands of the sum may be something else.
//
// The load replaces the last of the loads; nothing between them may write memory. The store
// replaces the last of the stores; only charges of gas may be observable between them. No store
// moves past a check.
func combineMemory(s *state) {
	var c *combiner
	for _, b := range s.f.Blocks {
		narrow := 0
		for _, v := range b.Values {
			if narrowAccess(v) {
				narrow++
			}
		}
		if narrow < 2 {
			continue
		}
		if c == nil {
			c = &combiner{state: s, uses: useCounts(s.f), at: make([]int32, s.f.NumValues()), alias: newAliases(s)}
		}
		c.block(b)
	}
	if c != nil && c.found {
		s.changed = true
		s.sweep()
	}
}

// narrowAccess reports whether v loads or stores less than eight bytes of a number.
func narrowAccess(v *ir.Value) bool {
	switch v.Op {
	case ir.OpLoad:
		return v.Type.IsInt() && v.Type.Size() < 8
	case ir.OpStore:
		t := v.Args[1].Type
		return t.IsInt() && t.Size() < 8
	}
	return false
}

type combiner struct {
	*state
	uses  []int32
	at    []int32 // by value ID: place in the block, of the values that it has
	alias *aliases
	found bool
	added additions
}

// A part is a piece of a number in memory: size bytes at a place, which hold bits from shift on.
type part struct {
	place
	size  int64
	shift int64
	v     *ir.Value // the load or the store
	leaf  *ir.Value // of loads: the operand of the sum
	of    *ir.Value // of stores: the number, nil if it is a constant
}

func (c *combiner) block(b *ir.Block) {
	for i, v := range b.Values {
		c.at[v.ID] = int32(i)
	}
	c.added = additions{}
	for i := 0; i < len(b.Values); i++ {
		if narrowAccess(b.Values[i]) && b.Values[i].Op == ir.OpStore {
			i = max(i, c.stores(b.Values, i))
		}
	}
	inner := map[*ir.Value]bool{} // operands of sums, which are not roots
	for _, v := range b.Values {
		if isSum(v) {
			for _, a := range v.Args {
				inner[a] = inner[a] || c.inTree(v, a)
			}
		}
	}
	for _, v := range b.Values {
		if isSum(v) && v.Type.Size() > 1 && !inner[v] {
			c.loads(b, v)
		}
	}
	if c.added.insert(b) {
		c.found = true
	}
}

// make adds an operation before the value at.
func (c *combiner) make(at *ir.Value, op ir.Op, t ir.Type, args ...*ir.Value) *ir.Value {
	v := c.f.NewValue(op, t, args...)
	v.Pos, v.Block = at.Pos, at.Block // operands of sums are of one block
	c.added[at] = append(c.added[at], v)
	c.at, c.uses = append(c.at, c.at[at.ID]), append(c.uses, 1)
	return v
}

func (c *combiner) constant(at *ir.Value, t ir.Type, x int64) *ir.Value {
	v := c.make(at, ir.OpConst, t)
	v.Aux = ir.TruncConst(t, x)
	return v
}

// intOf is the integer type of a size.
func intOf(size int64) ir.Type {
	switch size {
	case 1:
		return ir.I8
	case 2:
		return ir.I16
	case 4:
		return ir.I32
	}
	return ir.I64
}

// isSum reports whether v adds bits, provided that they do not overlap.
func isSum(v *ir.Value) bool {
	return v.Op == ir.OpOr || v.Op == ir.OpAdd || v.Op == ir.OpXor
}

// inTree reports whether the operand a of the sum v is part of the same sum.
func (c *combiner) inTree(v, a *ir.Value) bool {
	return a.Op == v.Op && a.Block == v.Block && c.uses[a.ID] == 1
}

// maxLeaves is how many operands a sum may have.
const maxLeaves = 64

// loads looks at the sum with the root v.
func (c *combiner) loads(b *ir.Block, v *ir.Value) {
	var leaves []*ir.Value
	var nodes []*ir.Value // of the tree, except the root
	var walk func(x *ir.Value) bool
	walk = func(x *ir.Value) bool {
		for _, a := range x.Args {
			switch {
			case c.inTree(v, a):
				nodes = append(nodes, a)
				if !walk(a) {
					return false
				}
			case len(leaves) == maxLeaves:
				return false
			default:
				leaves = append(leaves, a)
			}
		}
		return true
	}
	if !walk(v) {
		return
	}
	var parts []part
	var rest []*ir.Value
	for _, l := range leaves {
		if p, ok := c.loadPart(b, l); ok {
			parts = append(parts, p)
		} else {
			rest = append(rest, l)
		}
	}
	combined := false
	for {
		run := c.bestRun(parts)
		if run == nil {
			break
		}
		rest = append(rest, c.load(run, v))
		combined = true
		parts = slices.DeleteFunc(parts, func(p part) bool {
			return slices.ContainsFunc(run, func(q part) bool { return p.leaf == q.leaf })
		})
	}
	if !combined {
		return
	}
	for _, p := range parts {
		rest = append(rest, p.leaf)
	}
	for len(rest) > 2 {
		n := len(rest)
		rest = append(rest[:n-2], c.make(v, v.Op, v.Type, rest[n-2], rest[n-1]))
	}
	if len(rest) == 1 {
		becomes(v, rest[0])
	} else {
		v.Args = append(v.Args[:0:0], rest...)
	}
	// The old tree is dead. It may not be taken for one again.
	for _, x := range nodes {
		c.uses[x.ID] = 0
		becomesConst(x, 0)
	}
}

// loadPart reads an operand of a sum as a part.
func (c *combiner) loadPart(b *ir.Block, leaf *ir.Value) (p part, ok bool) {
	own := true // everything that we look through has no other use
	through := func(x *ir.Value) *ir.Value {
		for own = own && c.uses[x.ID] == 1; x.Op == ir.OpCopy; own = own && c.uses[x.ID] == 1 {
			x = x.Args[0]
		}
		return x
	}
	x := through(leaf)
	if x.Op == ir.OpShl && x.Args[1].Op == ir.OpConst {
		p.shift = x.Args[1].Aux
		x = through(x.Args[0])
	}
	if x.Op == ir.OpZExt {
		x = through(x.Args[0])
	}
	if !own || x.Op != ir.OpLoad || !narrowAccess(x) || x.Block != b {
		return p, false
	}
	p.place, p.size, p.v, p.leaf = c.alias.place(x.Args[0], x.Aux), x.Type.Size(), x, leaf
	if p.shift < 0 || p.shift%8 != 0 || p.shift/8+p.size > leaf.Type.Size() {
		return p, false
	}
	return p, true
}

// bestRun finds the longest run of parts that make a number of 8, 4 or 2 bytes, in the
// order of their places. It returns nil if there is none.
func (c *combiner) bestRun(parts []part) []part {
	if len(parts) < 2 {
		return nil
	}
	slices.SortStableFunc(parts, func(p, q part) int { return int(max(-1, min(1, p.off-q.off))) })
	for want := int64(8); want >= 2; want /= 2 {
		for i := range parts {
			for _, step := range []int64{1, -1} {
				if run := c.runFrom(parts, i, want, step); run != nil {
					return run
				}
			}
		}
	}
	return nil
}

// runFrom finds a run of size want that begins with part i; its shifts rise (step 1)
// or fall with the places.
func (c *combiner) runFrom(parts []part, i int, want, step int64) []part {
	p := parts[i]
	run := []part{p}
	size := p.size
	for size < want {
		next := func(q part) bool {
			if q.base != p.base || q.idx != p.idx || q.scale != p.scale || q.off != p.off+size || q.of != p.of {
				return false
			}
			if step > 0 {
				return q.shift == p.shift+8*size
			}
			return q.size == 1 && p.size == 1 && q.shift == p.shift-8*size
		}
		k := slices.IndexFunc(parts, next)
		if k < 0 {
			return nil
		}
		run = append(run, parts[k])
		size += parts[k].size
	}
	if size != want || len(run) < 2 {
		return nil
	}
	if parts[i].leaf != nil && !c.quiet(run) {
		return nil
	}
	return run
}

// quiet reports whether nothing writes memory between the first and the last load of a run.
func (c *combiner) quiet(run []part) bool {
	list := run[0].v.Block.Values
	first, last := c.at[run[0].v.ID], c.at[run[0].v.ID]
	for _, p := range run {
		first, last = min(first, c.at[p.v.ID]), max(last, c.at[p.v.ID])
	}
	if last-first > maxReach {
		return false
	}
	for _, v := range list[first:last] {
		if v.HasEffect(ir.WriteMem | ir.IsCall | ir.Allocates | ir.Safepoint) {
			return false
		}
	}
	return true
}

// span returns the last of a run in the block, the number of bytes of all together, and the least
// shift.
func (c *combiner) span(run []part) (last *ir.Value, size, shift int64) {
	last, shift = run[0].v, run[0].shift
	for _, p := range run {
		if c.at[p.v.ID] > c.at[last.ID] {
			last = p.v
		}
		size += p.size
		shift = min(shift, p.shift)
	}
	return last, size, shift
}

// load makes one load of a run, for the sum v, and returns what it adds.
func (c *combiner) load(run []part, v *ir.Value) *ir.Value {
	last, size, shift := c.span(run)
	swapped := run[0].shift > run[1].shift
	x := c.make(last, ir.OpLoad, intOf(size), run[0].v.Args[0])
	x.Aux = run[0].v.Aux
	if swapped {
		x = c.make(v, ir.OpBswap, x.Type, x)
	}
	if size < v.Type.Size() {
		x = c.make(v, ir.OpZExt, v.Type, x)
	}
	if shift > 0 {
		x = c.make(v, ir.OpShl, v.Type, x, c.constant(v, ir.I64, shift))
	}
	return x
}

// storePart reads a store as a part.
func (c *combiner) storePart(v *ir.Value) (p part) {
	p.place, p.size, p.v = c.alias.place(v.Args[0], v.Aux), v.Args[1].Type.Size(), v
	x := v.Args[1]
	if x.Op == ir.OpConst {
		return p
	}
	for {
		// The bits from p.shift on of x belong to a wider number.
		switch p.of = x; x.Op {
		case ir.OpTrunc:
			x = x.Args[0]
			continue
		case ir.OpShrU, ir.OpShrS:
			if k := x.Args[1]; k.Op == ir.OpConst && k.Aux >= 0 && k.Aux%8 == 0 && (p.shift+k.Aux)/8+p.size <= x.Type.Size() {
				p.shift += k.Aux
				x = x.Args[0]
				continue
			}
		}
		return p
	}
}

// stores looks for stores to neighbouring places that begin at place i of the list and returns the
// place of the last one that it considered.
func (c *combiner) stores(list []*ir.Value, i int) int {
	first := c.storePart(list[i])
	parts := []part{first}
	end := i
scan:
	for k := i + 1; k < len(list) && k-i < maxReach; k++ {
		switch v := list[k]; {
		case narrowAccess(v) && v.Op == ir.OpStore:
			p := c.storePart(v)
			if p.base != first.base || p.idx != first.idx || p.scale != first.scale {
				break scan
			}
			for _, q := range parts {
				if c.alias.overlap(&p.place, p.size, &q.place, q.size) {
					break scan
				}
			}
			parts = append(parts, p)
			end = k
			if len(parts) == maxStores {
				break scan
			}
		case v.Op == ir.OpLoad:
			l := c.alias.place(v.Args[0], v.Aux)
			for _, q := range parts {
				if c.alias.overlap(&l, v.Type.Size(), &q.place, q.size) {
					break scan
				}
			}
		case v.Op == ir.OpGas:
		case v.HasEffect(keepEffects|ir.ReadMem) || v.Op == ir.OpKeep:
			break scan
		}
	}
	for len(parts) > 1 {
		run := c.storeRun(parts)
		if run == nil {
			break
		}
		c.store(run)
		parts = slices.DeleteFunc(parts, func(p part) bool {
			return slices.ContainsFunc(run, func(q part) bool { return p.v == q.v })
		})
	}
	return end
}

// maxStores bounds how many stores are considered together.
const maxStores = 64

// storeRun is bestRun for stores, where constants have no order of their own.
func (c *combiner) storeRun(parts []part) []part {
	var consts []part
	for _, p := range parts {
		if p.of == nil {
			p.shift = 8 * (p.off - parts[0].off)
			consts = append(consts, p)
		}
	}
	numbers := slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return p.of == nil })
	if run := c.bestRun(numbers); run != nil {
		return run
	}
	return c.bestRun(consts)
}

// store makes one store of a run, in the place of the last one.
func (c *combiner) store(run []part) {
	last, size, shift := c.span(run)
	t := intOf(size)
	var x *ir.Value
	if of := run[0].of; of == nil {
		bits := uint64(0)
		at := int64(0)
		for _, p := range run {
			bits |= unsigned(p.v.Args[1].Type, p.v.Args[1].Aux) << (8 * at)
			at += p.size
		}
		x = c.constant(last, t, int64(bits))
	} else {
		x = of
		if shift > 0 {
			x = c.make(last, ir.OpShrU, x.Type, x, c.constant(last, ir.I64, shift))
		}
		if size < x.Type.Size() {
			x = c.make(last, ir.OpTrunc, t, x)
		}
		if run[0].shift > run[1].shift {
			x = c.make(last, ir.OpBswap, t, x)
		}
	}
	addr, off := run[0].v.Args[0], run[0].v.Aux
	for _, p := range run {
		if p.v != last {
			deleted(p.v)
		}
	}
	last.Args = append(last.Args[:0:0], addr, x)
	last.Aux = off
	c.found = true
}
