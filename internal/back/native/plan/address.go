package plan

import (
	"slices"

	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// # Addresses
//
// A pointer p is a zero-extended offset. An access is [base + p + disp], where disp is at most
// Desc.MaxDisp; anything further after p takes a sum of its own, modulo 2^32. With an index there
// are two ways. One computes the low 32 bits of p + i*scale first. It costs an instruction and is
// right for all p and i. The other takes the host address base + p, computed where p is, and
// accesses [host + i*scale + disp]. It is right because a check before has proved that the index
// lies within the object, and an object lies within the 4 GiB. It is not available where memory may
// hold anything (selector.Checked). It pays if p comes from outside of the loop, or serves several
// accesses.
//
// A sum that several accesses read is computed once, with one exception: its pointer comes from
// outside of the loop, and only accesses of the same block, without a call, read it. Then each of
// them takes the host address and the index; the product with the scale is computed once per block.
// Further away the host address might have to be reloaded each time.

// anAddress is the address of a load or store, split into its parts.
type anAddress struct {
	p     *ir.Value // nil: constant address
	off   int64
	index *ir.Value
	scale int64
}

// split splits an address into its parts. With an index, p + off is within the object or just a
// step before it: the sum with the index is within. Sums with an index that have other readers too
// are computed once and not split, unless they are open.
func (s *selector) split(v *ir.Value, off int64) anAddress {
	a := anAddress{p: v, off: off}
	for {
		p := alias(a.p)
		switch {
		case a.off > s.cpu.MaxDisp && p.Op != ir.OpConst:
			return a
		case p.Op == ir.OpPtrAdd:
			k := alias(p.Args[1])
			if k.Op != ir.OpConst || !s.cpu.inDisp(a.off+k.Aux) {
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
			if !s.cpu.inDisp(a.off + p.Aux2) {
				return a
			}
			if k := alias(p.Args[1]); k.Op == ir.OpConst {
				if !s.cpu.inDisp(k.Aux) || !s.cpu.inDisp(a.off+p.Aux2+k.Aux*p.Aux) {
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
			if s.open[p.ID] && s.sums() {
				a.p = p
				return a
			}
			a.index, a.scale, a.p = p.Args[1], p.Aux, p.Args[0]
		case p.Op == ir.OpConst:
			if x := a.off + int64(uint32(p.Aux)); x <= s.cpu.MaxAddress-mostSum {
				a.p, a.off = nil, x
			}
			return a
		default:
			return a
		}
	}
}

// sums reports whether the host address of an open sum is computed once, since no access has an index and a
// displacement.
func (s *selector) sums() bool { return s.cpu.MaxBaseDisp == 0 }

func (s *selector) isOpen(v *ir.Value) bool { return s.open != nil && s.open[v.ID] }

// A hostCount is how many accesses a host address would serve, and whether one of them is in a loop
// that the pointer comes from outside of.
type hostCount struct {
	n    int32
	loop bool
}

// findAddresses decides which address computations are part of the accesses that use them, and for
// which pointers the host address is wanted.
func (s *selector) findAddresses() {
	if s.Checked {
		return
	}
	s.findOpen()
	// Accesses by base pointer: how many it would serve, in which loops.
	wanted := s.counts.Make(s.F.NumValues()) // by value ID
	list := s.values.Make(8)[:0]
	for _, b := range s.order {
		for _, v := range b.Values {
			if !s.accesses(v) {
				continue
			}
			a := s.split(v.Args[0], v.Aux)
			if a.p == nil || a.index == nil && (a.off <= s.cpu.MaxBaseDisp || a.off > s.cpu.MaxDisp) {
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

// findOpen finds the sums with an index that each of several accesses computes for itself.
func (s *selector) findOpen() {
	if s.open != nil {
		return // folded loads change nothing here
	}
	s.open = s.bools.Make(s.F.NumValues())
	reads := s.ints.Make(s.F.NumValues()) // by value ID: accesses that could
	for _, b := range s.order {
		for _, v := range b.Values {
			if v.Op != ir.OpLoad && v.Op != ir.OpStore {
				continue
			}
			if p := v.Args[0]; p.Op == ir.OpPtrIdx && p.Block == b && s.cpu.inDisp(p.Aux2) && s.cpu.inDisp(v.Aux+p.Aux2) {
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
			// Not with a sum as the pointer, which could be part of some accesses but
			// not of others.
			base := alias(p.Args[0])
			if base.Op != ir.OpConst && base.Op != ir.OpPtrAdd && s.loops.Depth(b) > s.loops.Depth(base.Block) {
				s.open[p.ID], s.host[base.ID] = true, true
				s.host[p.ID] = s.sums()
			}
		}
	}
}

// accesses reports whether v is a load or store with an address of its own, not a load that is part
// of a store.
func (s *selector) accesses(v *ir.Value) bool {
	return v.Op == ir.OpStore || v.Op == ir.OpLoad && (!s.folded[v.ID] || s.operand[v.ID])
}

// foldAddress marks the address operations that only access v uses.
func (s *selector) foldAddress(v *ir.Value) {
	stop := s.split(v.Args[0], v.Aux).p
	for p := v.Args[0]; p != stop && p.Op != ir.OpConst && (s.uses[p.ID] == 1 || s.open[p.ID]); p = p.Args[0] {
		if (p.Op == ir.OpPtrAdd || p.Op == ir.OpPtrIdx) && !(s.open[p.ID] && s.sums()) {
			s.folded[p.ID] = true
		}
	}
}

// hostAfter computes the host address of pointer v after its definition, if it is wanted.
func (s *selector) hostAfter(v *ir.Value) {
	if !s.host[v.ID] || s.hosts[v.ID] >= 0 {
		return
	}
	h := s.newVReg(ir.I64, false)
	if s.isOpen(v) {
		i, scale := s.scaled(v.Args[1], v.Aux)
		sum := Mem{Kind: MemHostX, Scale: scale}
		s.emit(Inst{Kind: KLea, Size: S64, M: sum}, []regalloc.Use{inReg(s.hosts[alias(v.Args[0]).ID]), inReg(i)}, s.reg(h))
	} else {
		s.emit(Inst{Kind: KLea, Size: S64, M: Mem{Kind: MemBase}}, []regalloc.Use{inReg(s.use(v))}, s.reg(h))
	}
	s.hosts[v.ID] = h
}

// access makes the memory operand of a load or store and appends the registers that it needs to
// uses.
func (s *selector) access(v *ir.Value, off int64, uses []regalloc.Use) (Mem, []regalloc.Use) {
	m := Mem{Kind: MemBase, Use: int8(len(uses)), Scale: 1}
	a := anAddress{p: v, off: off}
	if !s.Checked {
		a = s.split(v, off)
	}
	m.Disp = int32(a.off)
	switch {
	case a.index == nil && a.p == nil:
		m.Kind = MemConst
		return m, uses
	case a.off > s.cpu.MaxDisp && a.p != nil: // nothing was split off
		t := s.newVReg(ir.I64, false)
		s.emit(Inst{Kind: KTruncLea, M: Mem{Kind: MemHost, Disp: m.Disp}}, []regalloc.Use{inReg(s.use(a.p))}, s.reg(t))
		m.Disp = 0
		return m, append(uses, inReg(t))
	case a.index == nil && (a.off > s.cpu.MaxBaseDisp || s.isOpen(alias(a.p))) && s.hosts[alias(a.p).ID] >= 0:
		m.Kind = MemHost
		return m, append(uses, inReg(s.hosts[alias(a.p).ID]))
	case a.index == nil:
		return m, append(uses, inReg(s.use(a.p)))
	}
	x, k := s.indexOf(a.index)
	if m.Disp = int32(a.off + k*a.scale); int64(m.Disp) != a.off+k*a.scale {
		panic("plan: no such displacement")
	}
	i, scale := s.scaled(x, a.scale)
	m.Scale = scale
	switch {
	case a.p == nil:
		m.Kind = MemIndex
		return m, append(uses, inReg(i))
	case s.hosts[alias(a.p).ID] >= 0:
		m.Kind = MemHostX
		return m, append(uses, inReg(s.hosts[alias(a.p).ID]), inReg(i))
	}
	t := s.newVReg(ir.I64, false)
	sum := Mem{Kind: MemHostX, Scale: scale, Disp: m.Disp}
	s.emit(Inst{Kind: KTruncLea, M: sum}, []regalloc.Use{inReg(s.use(a.p)), inReg(i)}, s.reg(t))
	m.Disp, m.Scale = 0, 1
	return m, append(uses, inReg(t))
}

// scaled returns a register for i*scale, with a scale that the processor has.
func (s *selector) scaled(i *ir.Value, scale int64) (regalloc.VReg, uint8) {
	x := s.use(i)
	if s.cpu.hasScale(scale) {
		return x, uint8(scale)
	}
	const look = 64 // looks at the newest only, so that a huge block takes no quadratic time
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

// product computes the result of scaled.
func (s *selector) product(x regalloc.VReg, scale int64) (regalloc.VReg, uint8) {
	t := s.newVReg(ir.I64, false)
	for k := int64(8); k >= 1; k >>= 1 {
		if m := scale / k; scale%k == 0 && s.cpu.hasScale(k) && (m == 3 || m == 5 || m == 9) && s.cpu.hasScale(m-1) {
			sum := Mem{Kind: MemHostX, Scale: uint8(m - 1)}
			s.emit(Inst{Kind: KLea, Size: S64, M: sum}, []regalloc.Use{inReg(x), inReg(x)}, s.reg(t))
			return t, uint8(k)
		}
	}
	if n, ok := Log2(scale); ok {
		s.withImm(Shl, S64, x, int64(n), t)
		return t, 1
	}
	if !s.cpu.Fits(Mul, scale) {
		s.binary(Mul, S64, x, s.constant(ir.I64, scale), t)
		return t, 1
	}
	s.withImm(Mul, S64, x, scale, t)
	return t, 1
}

// address selects a computation whose result is a pointer of its own.
func (s *selector) address(v *ir.Value) {
	if s.isOpen(v) {
		return // accesses have its host address
	}
	lea := func(m Mem, uses ...regalloc.Use) {
		s.emit(Inst{Kind: KTruncLea, M: m}, uses, s.reg(s.def(v)))
	}
	p := s.use(v.Args[0])
	if v.Op == ir.OpPtrAdd {
		if k := alias(v.Args[1]); k.Op == ir.OpConst {
			lea(Mem{Kind: MemHost, Disp: int32(k.Aux)}, inReg(p)) // modulo 2^32
			return
		}
		x, k := s.indexOf(v.Args[1])
		lea(Mem{Kind: MemHostX, Scale: 1, Disp: int32(k)}, inReg(p), inReg(s.use(x)))
		return
	}
	if k := alias(v.Args[1]); k.Op == ir.OpConst {
		lea(Mem{Kind: MemHost, Disp: int32(k.Aux*v.Aux + v.Aux2)}, inReg(p))
		return
	}
	x, k := s.indexOf(v.Args[1])
	i, scale := s.scaled(x, v.Aux)
	lea(Mem{Kind: MemHostX, Scale: scale, Disp: int32(v.Aux2 + k*v.Aux)}, inReg(p), inReg(i))
}
