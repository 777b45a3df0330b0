package amd64

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/native/regalloc"
)

// # Addresses
//
// A pointer p is a zero-extended offset: an access is [base + p + disp]. With an
// index there are two ways. One computes the low 32 bits of p + i*scale first,
// which costs an instruction and is right whatever p and i are. The other takes
// the host address base + p, computed where p is, and accesses
// [host + i*scale + disp]: right because a check before has proved that the
// index lies within the object, and an object lies within the 4 GiB; not to be
// had where memory may hold anything (selector.checked). It pays where p comes from
// outside of the loop, or serves several accesses.
//
// A sum that several accesses read is computed once, unless its pointer comes from
// outside of the loop and nothing but accesses of the same block, without a call, reads it: then
// each of them takes the host address and the index, whose product with the scale is computed
// once in a block. Further away the host address might have to be reloaded each time.

// maxDisp is the largest displacement that is part of an access.
const maxDisp = ir.MaxAccessOffset

// anAddress is the address of a load or store, taken apart.
type anAddress struct {
	p     *ir.Value // nil: constant address
	off   int64
	index *ir.Value
	scale int64
}

// split takes an address apart. With an index, p + off is within the object or
// just a step before it: the sum with the index is within. Sums with an index that
// somebody else reads too are computed once, and not looked into, unless they are open.
func (s *selector) split(v *ir.Value, off int64) anAddress {
	a := anAddress{p: v, off: off}
	for {
		p := alias(a.p)
		switch {
		case p.Op == ir.OpPtrAdd:
			k := alias(p.Args[1])
			if k.Op != ir.OpConst || !inDisp(a.off+k.Aux) {
				if a.index == nil && k.Op != ir.OpConst && s.uses[p.ID] == 1 {
					a.index, a.scale = p.Args[1], 1
					a.p = p.Args[0]
					continue
				}
				return a
			}
			a.off += k.Aux
			a.p = p.Args[0]
		case p.Op == ir.OpPtrIdx && a.index == nil:
			if !inDisp(a.off + p.Aux2) {
				return a
			}
			if k := alias(p.Args[1]); k.Op == ir.OpConst {
				if !inDisp(k.Aux) || !inDisp(a.off+p.Aux2+k.Aux*p.Aux) {
					return a
				}
				a.off += p.Aux2 + k.Aux*p.Aux
				a.p = p.Args[0]
				continue
			}
			if s.uses[p.ID] != 1 && !s.open[p.ID] {
				return a
			}
			a.off += p.Aux2
			a.index, a.scale, a.p = p.Args[1], p.Aux, p.Args[0]
		case p.Op == ir.OpConst:
			if x := a.off + int64(uint32(p.Aux)); x < 1<<31 {
				a.p, a.off = nil, x
			}
			return a
		default:
			return a
		}
	}
}

func inDisp(x int64) bool { return x >= 0 && x <= maxDisp }

func powerScale(x int64) bool { return x == 1 || x == 2 || x == 4 || x == 8 }

// A hostCount is how many accesses a host address would serve, and whether one of them
// stands in a loop that the pointer comes from outside of.
type hostCount struct {
	n    int32
	loop bool
}

// findAddresses decides which address computations are part of the accesses that
// use them, and of which pointers the host address is wanted.
func (s *selector) findAddresses() {
	if s.checked {
		return
	}
	s.findOpen()
	// Accesses by base pointer: how often it would serve, in which loops.
	wanted := s.counts.Make(s.f.NumValues()) // by value ID
	list := s.values.Make(8)[:0]
	for _, b := range s.order {
		for _, v := range b.Values {
			if !s.accesses(v) {
				continue
			}
			a := s.split(v.Args[0], v.Aux)
			if a.index == nil || a.p == nil {
				continue
			}
			p := alias(a.p)
			c := &wanted[p.ID]
			if c.n++; c.n == 1 {
				list = s.values.Append(list, p)
			}
			if s.loops.Depth(b) > s.loops.Depth(p.Block) {
				c.loop = true
			}
		}
	}
	for _, p := range list {
		if c := &wanted[p.ID]; (c.loop || c.n > 1) && p.Op != ir.OpConst {
			s.host[p.ID] = true
		}
	}
	// Address operations that only feed such accesses vanish.
	for _, b := range s.order {
		for _, v := range b.Values {
			if s.accesses(v) {
				s.foldAddress(v)
			}
		}
	}
}

// findOpen finds the sums with an index that each access of several computes for itself.
func (s *selector) findOpen() {
	if s.open != nil {
		return // that loads are folded changes nothing
	}
	s.open = s.bools.Make(s.f.NumValues())
	reads := s.ints.Make(s.f.NumValues()) // by value ID: accesses that could
	for _, b := range s.order {
		for _, v := range b.Values {
			if v.Op != ir.OpLoad && v.Op != ir.OpStore {
				continue
			}
			if p := v.Args[0]; p.Op == ir.OpPtrIdx && p.Block == b && inDisp(p.Aux2) && inDisp(v.Aux+p.Aux2) {
				reads[p.ID]++
			}
		}
	}
	for _, b := range s.order {
		if slices.ContainsFunc(b.Values, func(v *ir.Value) bool { return v.HasEffect(ir.IsCall | ir.Allocates) }) {
			continue
		}
		for _, p := range b.Values {
			n := reads[p.ID]
			if n < 2 || n != s.uses[p.ID] || alias(p.Args[1]).Op == ir.OpConst {
				continue
			}
			// Not with a sum as the pointer, which could be part of some accesses and not of others.
			base := alias(p.Args[0])
			if base.Op != ir.OpConst && base.Op != ir.OpPtrAdd && s.loops.Depth(b) > s.loops.Depth(base.Block) {
				s.open[p.ID], s.host[base.ID] = true, true
			}
		}
	}
}

// accesses reports whether v is a load or store with an address of its own: not a
// load that is part of a store.
func (s *selector) accesses(v *ir.Value) bool {
	return v.Op == ir.OpStore || v.Op == ir.OpLoad && (!s.folded[v.ID] || s.operand[v.ID])
}

// foldAddress marks the address operations that access v alone uses.
func (s *selector) foldAddress(v *ir.Value) {
	stop := s.split(v.Args[0], v.Aux).p
	for p := v.Args[0]; p != stop && p.Op != ir.OpConst && (s.uses[p.ID] == 1 || s.open[p.ID]); p = p.Args[0] {
		if p.Op == ir.OpPtrAdd || p.Op == ir.OpPtrIdx {
			s.folded[p.ID] = true
		}
	}
}

// hostAfter computes the host address of pointer v behind its definition, if it is
// wanted.
func (s *selector) hostAfter(v *ir.Value) {
	if !s.host[v.ID] || s.hosts[v.ID] >= 0 {
		return
	}
	h := s.newVReg(ir.I64, false)
	s.emit(inst{kind: kLea, size: S64, m: mem{kind: memBase}}, []regalloc.Use{inReg(s.use(v))}, s.reg(h))
	s.hosts[v.ID] = h
}

// access makes the memory operand of a load or store: the registers that it
// needs are appended to uses.
func (s *selector) access(v *ir.Value, off int64, uses []regalloc.Use) (mem, []regalloc.Use) {
	m := mem{kind: memBase, use: int8(len(uses)), scale: 1}
	if s.checked {
		m.disp = int32(off)
		return m, append(uses, inReg(s.use(v)))
	}
	a := s.split(v, off)
	m.disp = int32(a.off)
	switch {
	case a.index == nil && a.p == nil:
		m.kind = memConst
		return m, uses
	case a.index == nil:
		return m, append(uses, inReg(s.use(a.p)))
	}
	i, scale := s.scaled(a.index, a.scale)
	m.scale = scale
	switch {
	case a.p == nil:
		m.kind = memIndex
		return m, append(uses, inReg(i))
	case s.hosts[alias(a.p).ID] >= 0:
		m.kind = memHostX
		return m, append(uses, inReg(s.hosts[alias(a.p).ID]), inReg(i))
	}
	t := s.newVReg(ir.I64, false)
	s.emit(inst{kind: kTruncLea, m: mem{kind: memHostX, scale: scale, disp: m.disp}}, []regalloc.Use{inReg(s.use(a.p)), inReg(i)}, s.reg(t))
	m.disp, m.scale = 0, 1
	return m, append(uses, inReg(t))
}

// scaled returns a register and a scale of 1, 2, 4 or 8 for i*scale.
func (s *selector) scaled(i *ir.Value, scale int64) (regalloc.VReg, uint8) {
	x := s.use(i)
	if powerScale(scale) {
		return x, uint8(scale)
	}
	const look = 64 // at the newest, so that a huge block takes no quadratic time
	for _, k := range s.products[max(0, len(s.products)-look):] {
		if k.index == x && k.by == scale {
			return k.reg, k.scale
		}
	}
	t, by := s.product(x, scale)
	s.products = append(s.products, product{x, scale, t, by})
	return t, by
}

// A product is an index times a scale, in a register of the current block.
type product struct {
	index regalloc.VReg
	by    int64
	reg   regalloc.VReg
	scale uint8 // with this
}

// product computes what scaled returns.
func (s *selector) product(x regalloc.VReg, scale int64) (regalloc.VReg, uint8) {
	t := s.newVReg(ir.I64, false)
	for k := int64(8); k >= 1; k >>= 1 {
		if m := scale / k; scale%k == 0 && (m == 3 || m == 5 || m == 9) {
			s.emit(inst{kind: kLea, size: S64, m: mem{kind: memHostX, scale: uint8(m - 1)}}, []regalloc.Use{inReg(x), inReg(x)}, s.reg(t))
			return t, uint8(k)
		}
	}
	if n, ok := log2(scale); ok {
		s.emit(inst{kind: kRI, op: SHL, size: S64, imm: int64(n)}, []regalloc.Use{inReg(x)}, []regalloc.Def{{V: t, Need: regalloc.Same}})
		return t, 1
	}
	if scale != int64(int32(scale)) {
		k := s.constant(ir.I64, scale)
		s.emit(inst{kind: kRR, op: IMUL, size: S64}, []regalloc.Use{inReg(x), inReg(k)}, []regalloc.Def{{V: t, Need: regalloc.Same}})
		return t, 1
	}
	s.emit(inst{kind: kRRI, op: IMUL, size: S64, imm: scale}, []regalloc.Use{inReg(x)}, s.reg(t))
	return t, 1
}

// address selects a computation whose result is a pointer of its own.
func (s *selector) address(v *ir.Value) {
	lea := func(m mem, uses ...regalloc.Use) {
		s.emit(inst{kind: kTruncLea, m: m}, uses, s.reg(s.def(v)))
	}
	p := s.use(v.Args[0])
	if v.Op == ir.OpPtrAdd {
		if k := alias(v.Args[1]); k.Op == ir.OpConst {
			lea(mem{kind: memHost, disp: int32(k.Aux)}, inReg(p)) // modulo 2^32
			return
		}
		lea(mem{kind: memHostX, scale: 1}, inReg(p), inReg(s.use(v.Args[1])))
		return
	}
	if k := alias(v.Args[1]); k.Op == ir.OpConst {
		lea(mem{kind: memHost, disp: int32(k.Aux*v.Aux + v.Aux2)}, inReg(p))
		return
	}
	i, scale := s.scaled(v.Args[1], v.Aux)
	lea(mem{kind: memHostX, scale: scale, disp: int32(v.Aux2)}, inReg(p), inReg(i))
}

// Loads by type: how they extend.
var loadOps = [...]struct {
	op   Op
	size Size
	sign Op // with the sign extended to 64 bits
}{
	ir.I8: {MOVZX8, S32, MOVSX8}, ir.I16: {MOVZX16, S32, MOVSX16}, ir.I32: {MOV, S32, MOVSX32},
	ir.I64: {MOV, S64, MOV}, ir.Ptr: {MOV, S32, MOV}, ir.F32: {MOVSS, S32, MOVSS}, ir.F64: {MOVSD, S64, MOVSD},
}

// inlineMove and inlineClear are the most bytes that are moved and cleared
// without leaving.
const (
	inlineMove  = 160
	inlineClear = 192
)

func (s *selector) memory(v *ir.Value) {
	switch v.Op {
	case ir.OpLoad:
		l := loadOps[v.Type]
		m, uses := s.access(v.Args[0], v.Aux, nil)
		in := inst{kind: kLoad, op: l.op, size: l.size, m: m, float: v.Type.IsFloat()}
		if s.signed(v) {
			in.op, in.size = l.sign, S64
		}
		s.emit(in, uses, s.reg(s.def(v)))
	case ir.OpStore:
		s.store(v)
	case ir.OpMove:
		switch n := v.Aux; {
		case n == 0:
		case n > inlineMove:
			s.bulk(v, []regalloc.VReg{s.use(v.Args[0]), s.use(v.Args[1]), s.constant(ir.I64, n)})
		default:
			in := s.emit(inst{kind: kMove, imm: n}, []regalloc.Use{inReg(s.use(v.Args[0])), inReg(s.use(v.Args[1]))}, nil)
			chunks, ints := pieces(n)
			for range chunks {
				in.Temps = s.temps.Append(in.Temps, regalloc.Temp{Class: regalloc.Float})
			}
			for range ints {
				in.Temps = s.temps.Append(in.Temps, regalloc.Temp{Class: regalloc.Int})
			}
		}
	case ir.OpClear:
		switch n := v.Aux; {
		case n == 0:
		case n > inlineClear:
			s.bulk(v, []regalloc.VReg{s.use(v.Args[0]), s.constant(ir.I64, n)})
		default:
			s.emit(inst{kind: kClear, imm: n}, []regalloc.Use{inReg(s.use(v.Args[0]))}, nil)
		}
	}
}

// A piece is part of a small move: an access of size bytes at off.
type piece struct{ off, size int32 }

// pieces cuts n bytes into accesses that may overlap: vectors and floats, then
// integers.
func pieces(n int64) (vectors, ints []piece) {
	off := int32(0)
	left := int32(n)
	for left >= 16 {
		vectors = append(vectors, piece{off, 16})
		off, left = off+16, left-16
	}
	total := int32(n)
	switch {
	case left == 0:
	case total >= 16 && left > 8:
		vectors = append(vectors, piece{total - 16, 16})
	case left == 8:
		vectors = append(vectors, piece{off, 8})
	case total >= 8:
		if left > 8 {
			vectors = append(vectors, piece{off, 8})
		}
		vectors = append(vectors, piece{total - 8, 8})
	case left == 4:
		vectors = append(vectors, piece{off, 4})
	case total > 4:
		vectors = append(vectors, piece{off, 4}, piece{total - 4, 4})
	default: // 1 to 3
		if left >= 2 {
			ints = append(ints, piece{off, 2})
			off, left = off+2, left-2
		}
		if left == 1 {
			ints = append(ints, piece{off, 1})
		}
	}
	return vectors, ints
}

func (s *selector) store(v *ir.Value) {
	if y := s.updates[v.ID]; y != nil {
		s.update(v, y)
		return
	}
	x := v.Args[1]
	t := x.Type
	if t.IsFloat() {
		k := alias(x)
		if k.Op == ir.OpConst {
			// A constant NaN is canonical by now, or becomes so like any other.
			if bits := uint64(k.Aux); t == ir.F64 && bits < 1<<31 || t == ir.F32 && !isNaN32(uint32(bits)) {
				m, uses := s.access(v.Args[0], v.Aux, nil)
				size := S64
				if t == ir.F32 {
					size = S32
				}
				s.emit(inst{kind: kStoreI, size: size, imm: int64(int32(bits)), m: m}, uses, nil)
				return
			}
		}
		if r := s.canonicalPair(v); r >= 0 {
			op := MOVSD
			if t == ir.F32 {
				op = MOVSS
			}
			m, uses := s.access(v.Args[0], v.Aux, []regalloc.Use{inReg(r)})
			s.emit(inst{kind: kStore, op: op, size: sizeOf(t), m: m}, uses, nil)
			return
		}
		m, uses := s.access(v.Args[0], v.Aux, []regalloc.Use{inReg(s.use(x))})
		s.emit(inst{kind: kStoreF, size: sizeOf(t), m: m}, uses, nil)
		return
	}
	size := Size(0)
	switch t {
	case ir.I16:
		size = S16
	case ir.I32:
		size = S32
	case ir.I64, ir.Ptr:
		size = S64
	}
	if k, ok := imm32(x); ok && (t != ir.Ptr || k >= 0) {
		m, uses := s.access(v.Args[0], v.Aux, nil)
		s.emit(inst{kind: kStoreI, size: size, imm: k, m: m}, uses, nil)
		return
	}
	m, uses := s.access(v.Args[0], v.Aux, []regalloc.Use{inReg(s.use(x))})
	s.emit(inst{kind: kStore, op: MOV, size: size, m: m}, uses, nil)
}

// pairReach is how many operations behind a store the one may be that shares its
// comparison.
const pairReach = 6

// canonicalPair returns a register with the float that v stores, a NaN canonical, if one
// comparison does for this store and another near it: it tells whether any of two numbers is a
// NaN. Else it returns -1, and the store sees to its own. The second of two stores finds what
// the first has left.
func (s *selector) canonicalPair(v *ir.Value) regalloc.VReg {
	if s.paired.store == v {
		s.paired.store = nil
		return s.paired.reg
	}
	x := v.Args[1]
	if s.paired.store != nil || s.uses[x.ID] != 1 {
		return -1
	}
	for i, w := range s.rest[:min(len(s.rest), pairReach)] {
		if w.HasEffect(ir.IsCall | ir.Safepoint | ir.Allocates) {
			return -1
		}
		if w.Op != ir.OpStore || w.Args[1].Type != x.Type {
			continue
		}
		y := w.Args[1]
		if alias(y).Op == ir.OpConst || y == x || s.uses[y.ID] != 1 || slices.Contains(s.rest[:i], y) {
			return -1
		}
		r := [2]regalloc.VReg{s.newVReg(x.Type, false), s.newVReg(x.Type, false)}
		s.emit(inst{kind: kCanonical, size: sizeOf(x.Type)}, []regalloc.Use{inReg(s.use(x)), inReg(s.use(y))},
			[]regalloc.Def{{V: r[0], Need: regalloc.Same, Of: 0}, {V: r[1], Need: regalloc.Same, Of: 1}})
		s.paired.store, s.paired.reg = w, r[1]
		return r[0]
	}
	return -1
}

func isNaN32(b uint32) bool { return b&0x7f800000 == 0x7f800000 && b&0x7fffff != 0 }
