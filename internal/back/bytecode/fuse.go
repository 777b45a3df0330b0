package bytecode

import (
	"math"

	"github.com/gyrvm/gyr/internal/ir"
)

// Superinstructions: a pattern of several operations in one block becomes one instruction at the
// place of its root. The other operations of the pattern, the parts, are claimed and have no code
// of their own.
//
// A part moves to the root's place, so nothing else may use it, and the operations in between must
// not matter to it: a load must not pass a write, and a check must pass nothing with an effect. A
// part that holds a pointer must not pass a safepoint: the pointer would stay a root for longer
// than the IR says.

type fuseKind uint8

const (
	fuseIndexed fuseKind = iota // load or store at idx, checked by check if there is one
	fuseBPtr                    // address computation with its check
	fuseTo                      // store that updates what was loaded from the same place
	fuseMem                     // arithmetic with a loaded operand
	fuseMulAdd
	fuseMulSub  // x*y - z
	fuseNMulAdd // z - x*y
	fuseAddAddI
	fusePair  // load of a pointer and of the length after it
	fuseCheck // check of a comparison of its own operands
	fuseNotZero
	fuseHeader // load or store of an element of a slice; its header is loaded for this access only
	fuseNil    // load or store with the check of its pointer
	fuseMulW   // both halves of a product
	fuseAdd3
	fuseCarry
	fuseBorrow
)

// A fusion is a pattern that was found. Its kind decides which fields are set.
type fusion struct {
	kind  fuseKind
	idx   *ir.Value // PtrIdx or PtrAdd
	check *ir.Value // Bounds, or NilCheck
	part  *ir.Value // the operation between load and store; the product; the inner sum; the comparison
	load  *ir.Value
	other *ir.Value // the operand that is not a part
}

type fuseState struct {
	fused  map[int32]*fusion // by ID of the root
	zextOf []bool            // by ID: a load whose only use is a zero extension
	narrow []ir.Type         // by ID: a load whose only use is a truncation to this type
	place  []int32           // by ID: index in its block, +1; 0 outside of the current block
	vals   []*ir.Value       // of the current block
	writes []int32           // by index: writes before it
	safe   []int32           // by index: safepoints before it
}

func (s *fuseState) again() fuseState {
	if s.fused != nil {
		clear(s.fused)
	}
	return fuseState{fused: s.fused, zextOf: s.zextOf, narrow: s.narrow, place: s.place, writes: s.writes, safe: s.safe}
}

// fuse finds the patterns of the whole function.
func (c *compiler) fuse() {
	n := c.f.NumValues()
	if c.fused == nil {
		c.fused = map[int32]*fusion{}
	}
	c.zextOf = zeroed(c.zextOf, n)
	c.narrow = zeroed(c.narrow, n)
	if c.p.Opts.NoFuse {
		return
	}
	c.place = zeroed(c.place, n)
	for _, b := range c.blocks {
		c.vals = b.b.Values
		c.writes, c.safe = c.writes[:0], c.safe[:0]
		w, s := int32(0), int32(0)
		for i, v := range c.vals {
			c.place[v.ID] = int32(i) + 1
			c.writes, c.safe = append(c.writes, w), append(c.safe, s)
			if v.HasEffect(ir.WriteMem | ir.IsCall) {
				w++
			}
			if v.HasEffect(ir.Safepoint) {
				s++
			}
		}
		for i := len(c.vals) - 1; i >= 0; i-- {
			if v := c.vals[i]; !c.skip[v.ID] && c.fused[v.ID] == nil {
				c.fuseAt(v)
			}
		}
		for _, v := range c.vals {
			c.place[v.ID] = 0
		}
	}
}

// free reports whether x may become a part of a pattern at v.
func (c *compiler) free(x, v *ir.Value) bool {
	if c.uses[x.ID] != 1 || c.place[x.ID] == 0 || c.skip[x.ID] || c.fused[x.ID] != nil {
		return false
	}
	i, j := c.place[x.ID]-1, c.place[v.ID]-1
	if i >= j || c.safe[i] != c.safe[j] {
		return false
	}
	return x.Op != ir.OpLoad || c.writes[i] == c.writes[j]
}

func (c *compiler) claim(parts ...*ir.Value) {
	for _, x := range parts {
		if x != nil {
			c.skip[x.ID] = true
		}
	}
}

func u16(x int64) bool { return x >= 0 && x <= math.MaxUint16 }

// element splits an address computation with a variable index.
func (c *compiler) element(p *ir.Value) (scale, off int64, ok bool) {
	switch p.Op {
	case ir.OpPtrIdx:
		scale, off = p.Aux, p.Aux2
	case ir.OpPtrAdd:
		scale = 1
	default:
		return 0, 0, false
	}
	return scale, off, u16(scale) && u16(off) && !c.opnd(p.Args[1]).isConst()
}

// maxLook bounds the search for a check before an access.
const maxLook = 24

// checkOf finds the check of index that may move to v.
func (c *compiler) checkOf(index, v *ir.Value) *ir.Value {
	at := int(c.place[v.ID]) - 1
	r := c.opnd(index)
	for j := at - 1; j >= 0 && j >= at-maxLook; j-- {
		u := c.vals[j]
		if c.skip[u.ID] {
			continue
		}
		if u.Op == ir.OpBounds && c.opnd(u.Args[0]) == r && u16(u.Aux) {
			return u
		}
		if !u.Op.Reads() {
			return nil
		}
		if f := c.fused[u.ID]; f != nil && f.check != nil {
			return nil // another check must stay before this one
		}
	}
	return nil
}

// fuseAt looks for a pattern with root v.
func (c *compiler) fuseAt(v *ir.Value) {
	switch v.Op {
	case ir.OpZExt:
		if x := v.Args[0]; x.Op == ir.OpLoad && c.uses[x.ID] == 1 && !c.skip[x.ID] && c.fused[x.ID] == nil {
			c.zextOf[x.ID] = true
			c.alias[v.ID] = vreg(x.ID)
			c.skip[v.ID] = true
		}
	case ir.OpTrunc:
		if x := v.Args[0]; x.Op == ir.OpLoad && c.uses[x.ID] == 1 && !c.skip[x.ID] && c.fused[x.ID] == nil &&
			c.narrow[x.ID] == ir.Void {
			c.narrow[x.ID] = v.Type
			c.alias[v.ID] = vreg(x.ID)
			c.skip[v.ID] = true
		}
	case ir.OpLoad:
		if !c.fuseAccess(v) && !c.fusePair(v) {
			c.fuseNil(v)
		}
	case ir.OpStore:
		if !c.fuseStoreTo(v) && !c.fuseAccess(v) {
			c.fuseNil(v)
		}
	case ir.OpShrU:
		c.fuseCarry(v)
	case ir.OpMul, ir.OpMulHiU:
		c.fuseMulW(v)
	case ir.OpPtrIdx, ir.OpPtrAdd:
		if _, _, ok := c.element(v); ok {
			if ch := c.checkOf(v.Args[1], v); ch != nil {
				c.claim(ch)
				c.fused[v.ID] = &fusion{kind: fuseBPtr, check: ch}
			}
		}
	case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpAdd:
		c.fuseArith(v)
	case ir.OpSub:
		if k, ok := c.constArg(v.Args[1]); ok && k != math.MinInt64 && fits16(-k) {
			c.fuseAddAddI(v)
		}
	case ir.OpCheck:
		c.fuseCheck(v)
	}
}

// accessType is the type that a load or store moves.
func (c *compiler) accessType(v *ir.Value) ir.Type {
	switch {
	case v.Op == ir.OpStore:
		return v.Args[1].Type
	case c.narrow[v.ID] != ir.Void:
		return c.narrow[v.ID]
	}
	return v.Type
}

// fuseAccess handles a load or store of an element, with or without check.
func (c *compiler) fuseAccess(v *ir.Value) bool {
	p := v.Args[0]
	t := c.accessType(v)
	if !c.free(p, v) {
		return false
	}
	scale, off, ok := c.element(p)
	if !ok || scale != t.Size() || !u16(off+v.Aux) || v.Aux < 0 {
		return false
	}
	ch := c.checkOf(p.Args[1], v)
	if ch == nil && off+v.Aux != 0 {
		return false
	}
	c.claim(p, ch)
	f := &fusion{kind: fuseIndexed, idx: p, check: ch}
	c.fused[v.ID] = f
	if ch == nil || off+v.Aux != 0 {
		return true
	}
	// The header of the slice, if only this access loads it.
	ptr, n := p.Args[0], ch.Args[1]
	if ptr.Op == ir.OpLoad && n.Op == ir.OpLoad && ptr.Type == ir.Ptr && n.Type == ir.I64 && n.Aux == ptr.Aux+8 &&
		u16(ptr.Aux) && ptr.Pos == v.Pos && n.Pos == v.Pos &&
		c.opnd(ptr.Args[0]) == c.opnd(n.Args[0]) && c.free(ptr, v) && c.free(n, v) && c.narrow[n.ID] == ir.Void {
		c.claim(ptr, n)
		f.kind, f.load = fuseHeader, ptr
	}
	return true
}

// nilCheckOf finds the check of pointer p that may move to v.
func (c *compiler) nilCheckOf(p, v *ir.Value) *ir.Value {
	at := int(c.place[v.ID]) - 1
	r := c.opnd(p)
	if r.isConst() {
		return nil
	}
	for j := at - 1; j >= 0 && j >= at-maxLook; j-- {
		u := c.vals[j]
		if c.skip[u.ID] {
			continue
		}
		if u.Op == ir.OpNilCheck && c.opnd(u.Args[0]) == r {
			return u
		}
		if !u.Op.Reads() {
			return nil
		}
		if f := c.fused[u.ID]; f != nil && f.check != nil {
			return nil
		}
		// An access through the pointer must stay after the check.
		if u.Op == ir.OpLoad && c.opnd(u.Args[0]) == r {
			return nil
		}
	}
	return nil
}

// fuseNil handles a load or store directly after the check of its pointer.
func (c *compiler) fuseNil(v *ir.Value) {
	if !u16(v.Aux) {
		return
	}
	if ch := c.nilCheckOf(v.Args[0], v); ch != nil {
		c.claim(ch)
		c.fused[v.ID] = &fusion{kind: fuseNil, check: ch}
	}
}

// fusePair joins the loads of the first two words of a string or slice; v is the later one. The
// root is the earlier one.
func (c *compiler) fusePair(v *ir.Value) bool {
	if v.Type != ir.Ptr && v.Type != ir.I64 || c.narrow[v.ID] != ir.Void {
		return false
	}
	p := c.opnd(v.Args[0])
	at := int(c.place[v.ID]) - 1
	for j := at - 1; j >= 0 && j >= at-8 && c.writes[j] == c.writes[at]; j-- {
		u := c.vals[j]
		if u.Op != ir.OpLoad || c.skip[u.ID] || c.fused[u.ID] != nil || c.narrow[u.ID] != ir.Void || c.opnd(u.Args[0]) != p {
			continue
		}
		ptr, n := u, v
		if v.Type == ir.Ptr {
			ptr, n = v, u
		}
		if ptr.Type != ir.Ptr || n.Type != ir.I64 || n.Aux != ptr.Aux+8 || !u16(ptr.Aux) || ptr.Pos != n.Pos {
			continue
		}
		f := &fusion{kind: fusePair, load: ptr, other: n}
		if x := u.Args[0]; x == v.Args[0] && c.uses[x.ID] == 2 && c.place[x.ID] != 0 && !c.skip[x.ID] &&
			c.fused[x.ID] == nil {
			if scale, off, ok := c.element(x); ok && u16(off+ptr.Aux) && c.safe[c.place[x.ID]-1] == c.safe[at] && scale > 0 {
				if c.checkOf(x.Args[1], x) == nil {
					f.idx = x
					c.claim(x)
				}
			}
		}
		c.claim(v)
		if f.idx == nil {
			if ch := c.nilCheckOf(u.Args[0], u); ch != nil {
				c.claim(ch)
				f.check = ch
			}
		}
		c.fused[u.ID] = f
		return true
	}
	return false
}

// fuseStoreTo handles x.f += y and the like.
func (c *compiler) fuseStoreTo(v *ir.Value) bool {
	p, x := v.Args[0], v.Args[1]
	if !u16(v.Aux) || !c.free(x, v) {
		return false
	}
	switch x.Op {
	case ir.OpAdd, ir.OpSub:
		if x.Op == ir.OpSub && x.Type != ir.I64 {
			return false
		}
	case ir.OpFAdd, ir.OpFSub:
		if x.Type != ir.F64 {
			return false
		}
	default:
		return false
	}
	for k, l := range x.Args {
		if k == 1 && (x.Op == ir.OpSub || x.Op == ir.OpFSub) {
			break
		}
		if l.Op == ir.OpLoad && c.narrow[l.ID] == ir.Void && c.opnd(l.Args[0]) == c.opnd(p) && l.Aux == v.Aux &&
			l.Type == x.Type && l.Pos == v.Pos && c.free(l, v) {
			c.claim(x, l)
			c.fused[v.ID] = &fusion{kind: fuseTo, part: x, load: l, other: x.Args[1-k]}
			return true
		}
	}
	return false
}

// loadArg finds an operand of v that is a load and may move to v.
func (c *compiler) loadArg(v *ir.Value) int {
	for k := len(v.Args) - 1; k >= 0; k-- {
		l := v.Args[k]
		if l.Op != ir.OpLoad || !u16(l.Aux) || l.Type != v.Type || c.zextOf[l.ID] || c.narrow[l.ID] != ir.Void ||
			!c.free(l, v) {
			continue
		}
		if _, _, ok := c.element(l.Args[0]); ok && c.place[l.Args[0].ID] != 0 && c.uses[l.Args[0].ID] == 1 {
			continue // better fused with its address
		}
		return k
	}
	return -1
}

func (c *compiler) fuseArith(v *ir.Value) {
	if v.Type != ir.F64 && v.Type != ir.I64 {
		return
	}
	mul := ir.OpFMul
	if v.Op == ir.OpAdd {
		mul = ir.OpMul
		if c.fuseAddAddI(v) {
			return
		}
		for _, a := range v.Args {
			if c.opnd(a).isConst() {
				return
			}
		}
	}
	if v.Op == ir.OpAdd {
		for k, x := range v.Args {
			if x.Op == ir.OpAdd && c.free(x, v) && !c.opnd(x.Args[0]).isConst() && !c.opnd(x.Args[1]).isConst() {
				c.claim(x)
				c.fused[v.ID] = &fusion{kind: fuseAdd3, part: x, other: v.Args[1-k]}
				return
			}
		}
	}
	if v.Op != ir.OpFMul {
		for k, x := range v.Args {
			if x.Op != mul || !c.free(x, v) || v.Args[0] == v.Args[1] {
				continue
			}
			if mul == ir.OpMul && (c.opnd(x.Args[0]).isConst() || c.opnd(x.Args[1]).isConst()) {
				continue
			}
			kind := fuseMulAdd
			if v.Op == ir.OpFSub {
				kind = fuseMulSub
				if k == 1 {
					kind = fuseNMulAdd
				}
			}
			c.claim(x)
			c.fused[v.ID] = &fusion{kind: kind, part: x, other: v.Args[1-k]}
			return
		}
	}
	if k := c.loadArg(v); k >= 0 {
		c.claim(v.Args[k])
		c.fused[v.ID] = &fusion{kind: fuseMem, load: v.Args[k], other: v.Args[1-k]}
	}
}

// fuseAddAddI handles x + y + constant.
func (c *compiler) fuseAddAddI(v *ir.Value) bool {
	if v.Type != ir.I64 {
		return false
	}
	for k, x := range v.Args {
		n, ok := c.constArg(v.Args[1-k])
		if !ok || x.Op != ir.OpAdd || !c.free(x, v) || k == 1 && v.Op == ir.OpSub {
			continue
		}
		if v.Op == ir.OpSub {
			n = -n
		}
		if fits16(n) && !c.opnd(x.Args[0]).isConst() && !c.opnd(x.Args[1]).isConst() {
			c.claim(x)
			c.fused[v.ID] = &fusion{kind: fuseAddAddI, part: x}
			return true
		}
	}
	return false
}

// fuseCarry handles the carry and the borrow of bits.Add64 and bits.Sub64.
func (c *compiler) fuseCarry(v *ir.Value) {
	or := v.Args[0]
	if k, ok := c.constArg(v.Args[1]); !ok || k != 63 || v.Type != ir.I64 || or.Op != ir.OpOr || !c.free(or, v) {
		return
	}
	one, two := or.Args[0], or.Args[1]
	if two.Op != ir.OpAndNot || !c.free(one, v) || !c.free(two, v) {
		return
	}
	same := func(x, y *ir.Value) bool { return c.opnd(x) == c.opnd(y) && !c.opnd(x).isConst() }
	switch one.Op {
	case ir.OpAnd: // x&y | (x|y)&^sum
		if m := two.Args[0]; m.Op == ir.OpOr && c.free(m, v) && same(one.Args[0], m.Args[0]) && same(one.Args[1], m.Args[1]) {
			c.claim(or, one, two, m)
			c.fused[v.ID] = &fusion{kind: fuseCarry, part: m, other: two.Args[1]}
		}
	case ir.OpAndNot: // y&^x | diff&^(x^y)
		if m := two.Args[1]; m.Op == ir.OpXor && c.free(m, v) && same(one.Args[1], m.Args[0]) &&
			same(one.Args[0], m.Args[1]) {
			c.claim(or, one, two, m)
			c.fused[v.ID] = &fusion{kind: fuseBorrow, part: m, other: two.Args[0]}
		}
	}
}

// fuseMulW joins the two halves of a product; v is the later one.
func (c *compiler) fuseMulW(v *ir.Value) {
	other := ir.OpMul
	if v.Op == ir.OpMul {
		other = ir.OpMulHiU
	}
	if v.Type != ir.I64 || c.opnd(v.Args[0]).isConst() || c.opnd(v.Args[1]).isConst() {
		return
	}
	at := int(c.place[v.ID]) - 1
	for j := at - 1; j >= 0 && j >= at-8; j-- {
		u := c.vals[j]
		if u.Op != other || u.Type != ir.I64 || c.skip[u.ID] || c.fused[u.ID] != nil {
			continue
		}
		x, y := c.opnd(u.Args[0]), c.opnd(u.Args[1])
		if a, b := c.opnd(v.Args[0]), c.opnd(v.Args[1]); x == a && y == b || x == b && y == a {
			c.claim(v)
			c.fused[u.ID] = &fusion{kind: fuseMulW, other: v}
			return
		}
	}
}

// fuseCheck handles the checks of slicing and of division.
func (c *compiler) fuseCheck(v *ir.Value) {
	x := v.Args[0]
	if !c.free(x, v) || !u16(v.Aux) {
		return
	}
	switch x.Op {
	case ir.OpLeU:
		if len(v.Args) == 3 && x.Args[0].Type == ir.I64 && c.opnd(x.Args[0]) == c.opnd(v.Args[1]) &&
			c.opnd(x.Args[1]) == c.opnd(v.Args[2]) {
			c.claim(x)
			c.fused[v.ID] = &fusion{kind: fuseCheck, part: x}
		}
	case ir.OpNe:
		for k, z := range x.Args {
			if n, ok := c.constArg(z); ok && n == 0 && !c.opnd(x.Args[1-k]).isConst() {
				c.claim(x)
				c.fused[v.ID] = &fusion{kind: fuseNotZero, other: x.Args[1-k]}
				return
			}
		}
	}
}

// selectFused emits the instruction of a pattern.
func (c *compiler) selectFused(v *ir.Value, f *fusion) {
	d := vreg(v.ID)
	switch f.kind {
	case fuseIndexed:
		_, off, _ := c.element(f.idx)
		p, i := c.reg(f.idx.Args[0]), c.reg(f.idx.Args[1])
		in := inst{r: [5]vreg{d, p, i}}
		if v.Op == ir.OpLoad {
			in.op = c.loadOp(v) - Load8S + LoadX8S
			if c.accessType(v) == ir.Ptr {
				in.op = LoadXP
			}
		} else {
			in.op = storeOps[v.Args[1].Type] - Store8 + StoreX8
			in.r = [5]vreg{p, i, c.reg(v.Args[1])}
		}
		if f.check != nil {
			in.op = in.op - LoadX8S + BLoadX8S
			if v.Op == ir.OpStore {
				in.op = storeOps[v.Args[1].Type] - Store8 + BStoreX8
			}
			in.r[3] = c.reg(f.check.Args[1])
			in.imm, in.imm2, in.pos, in.at = off+v.Aux, f.check.Aux, f.check.Pos, v.Pos
		}
		c.put(in)
	case fuseHeader:
		h, i := c.reg(f.load.Args[0]), c.reg(f.idx.Args[1])
		in := inst{r: [5]vreg{d, h, i}, imm: f.load.Aux, imm2: f.check.Aux, pos: f.check.Pos, at: v.Pos}
		switch t := c.accessType(v); {
		case v.Op == ir.OpStore:
			in.op = storeOps[t] - Store8 + SStore8
			in.r = [5]vreg{h, i, c.reg(v.Args[1])}
		case t == ir.Ptr:
			in.op = SLoadP
		default:
			in.op = c.loadOp(v) - Load8S + SLoad8S
		}
		c.put(in)
	case fuseNil:
		in := inst{r: [5]vreg{d, c.reg(v.Args[0])}, imm: v.Aux, pos: f.check.Pos, at: v.Pos}
		if v.Op == ir.OpLoad {
			in.op = c.loadOp(v) - Load8S + NLoad8S
		} else {
			in.op = storeOps[v.Args[1].Type] - Store8 + NStore8
			in.r = [5]vreg{c.reg(v.Args[0]), c.reg(v.Args[1])}
		}
		c.put(in)
	case fuseMulW:
		hi, lo := d, vreg(f.other.ID)
		if v.Op == ir.OpMul {
			hi, lo = lo, hi
		}
		c.put(inst{op: MulW, r: [5]vreg{hi, c.reg(v.Args[0]), c.reg(v.Args[1]), lo}})
	case fuseAdd3, fuseCarry, fuseBorrow:
		op := map[fuseKind]Op{fuseAdd3: Add3, fuseCarry: Carry, fuseBorrow: Borrow}[f.kind]
		c.put(inst{op: op, r: [5]vreg{d, c.reg(f.part.Args[0]), c.reg(f.part.Args[1]), c.reg(f.other)}})
	case fuseBPtr:
		scale, off, _ := c.element(v)
		c.put(inst{op: BPtrIdx, r: [5]vreg{d, c.reg(v.Args[0]), c.reg(v.Args[1]), c.reg(f.check.Args[1])},
			imm: scale, imm2: off, imm3: f.check.Aux, pos: f.check.Pos})
	case fuseTo:
		c.storeTo(v, f)
	case fuseMem:
		op := map[ir.Op]Op{ir.OpFAdd: FAdd64M, ir.OpFMul: FMul64M, ir.OpAdd: AddM, ir.OpFSub: FSub64M}[v.Op]
		if v.Op == ir.OpFSub && v.Args[0] == f.load {
			op = FRSub64M
		}
		c.put(inst{op: op, r: [5]vreg{d, c.reg(f.other), c.reg(f.load.Args[0])}, imm: f.load.Aux, pos: f.load.Pos})
	case fuseMulAdd, fuseMulSub, fuseNMulAdd:
		op := FMulAdd64 + Op(f.kind-fuseMulAdd)
		if v.Op == ir.OpAdd {
			op = MulAdd
		}
		c.put(inst{op: op, r: [5]vreg{d, c.reg(f.part.Args[0]), c.reg(f.part.Args[1]), c.reg(f.other)}})
	case fuseAddAddI:
		k := 0
		if v.Args[0] == f.part {
			k = 1
		}
		n, _ := c.constArg(v.Args[k])
		if v.Op == ir.OpSub {
			n = -n
		}
		c.put(inst{op: AddAddI, r: [5]vreg{d, c.reg(f.part.Args[0]), c.reg(f.part.Args[1])}, imm: n})
	case fusePair:
		in := inst{op: LoadPL, r: [5]vreg{vreg(f.load.ID), none, vreg(f.other.ID)}, imm: f.load.Aux, pos: f.load.Pos, at: f.load.Pos}
		if f.idx == nil {
			in.r[1] = c.reg(f.load.Args[0])
			if f.check != nil {
				in.op, in.pos = NLoadPL, f.check.Pos
			}
		} else {
			scale, off, _ := c.element(f.idx)
			in.op = LoadPLX
			in.r[1], in.r[3] = c.reg(f.idx.Args[0]), c.reg(f.idx.Args[1])
			in.imm, in.imm2 = scale, off+f.load.Aux
		}
		c.put(in)
	case fuseCheck:
		c.put(inst{op: CheckLeU, r: [5]vreg{c.reg(v.Args[1]), c.reg(v.Args[2])}, imm: v.Aux, pos: v.Pos})
	case fuseNotZero:
		c.check(v, c.reg(f.other))
	}
}

// storeTo emits an operation that updates a place in memory.
func (c *compiler) storeTo(v *ir.Value, f *fusion) {
	p, x := c.reg(v.Args[0]), f.part
	in := inst{r: [5]vreg{p}, imm: v.Aux}
	if k, ok := c.constArg(f.other); ok && (x.Type == ir.I64 || x.Type == ir.I32) && k != math.MinInt64 {
		if x.Op == ir.OpSub {
			k = -k
		}
		if fits16(k) {
			in.op = pick(x.Type == ir.I64, Add64ITo, Add32ITo)
			in.imm, in.imm2 = k, v.Aux
			c.put(in)
			return
		}
	}
	switch x.Op {
	case ir.OpAdd:
		in.op = [...]Op{Add8To, Add16To, Add32To, Add64To}[widthIndex(x.Type)]
	case ir.OpSub:
		in.op = Sub64To
	case ir.OpFAdd:
		in.op = FAdd64To
	case ir.OpFSub:
		in.op = FSub64To
	}
	in.r[1] = c.reg(f.other)
	c.put(in)
}

// loadOp returns the instruction of a load.
func (c *compiler) loadOp(v *ir.Value) Op {
	op := loadOps[c.accessType(v)]
	if c.zextOf[v.ID] {
		op++ // the unsigned twin
	}
	return op
}
