package plan

import (
	"math/bits"
	"slices"

	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// Loads by type: how they extend.
var loads = [...]struct {
	op   Op
	sign Op // with the sign extended to 64 bits
}{
	ir.I8: {Zext8, Sext8}, ir.I16: {Zext16, Sext16}, ir.I32: {Zext32, Sext32},
	ir.I64: {Copy, Copy}, ir.Ptr: {Zext32, Zext32}, ir.F32: {Copy, Copy}, ir.F64: {Copy, Copy},
}

func (s *selector) memory(v *ir.Value) {
	switch v.Op {
	case ir.OpLoad:
		l := loads[v.Type]
		m, uses := s.access(v.Args[0], v.Aux, nil)
		in := Inst{Kind: KLoad, Op: l.op, Size: sizeOf(v.Type), M: m, Float: v.Type.IsFloat()}
		if s.signed(v) {
			in.Op = l.sign
		}
		if s.keepsNaN && s.Checked && in.Float { // where memory may hold integers
			x := s.newVReg(v.Type, false)
			s.emit(in, uses, s.reg(x))
			s.canonical(x, s.def(v), in.Size)
			return
		}
		s.emit(in, uses, s.reg(s.def(v)))
	case ir.OpStore:
		s.store(v)
	case ir.OpMove:
		switch n := v.Aux; {
		case n == 0:
		case n > s.cpu.MoveBytes:
			s.bulk(v, ir.OpMoveN, []regalloc.VReg{s.use(v.Args[0]), s.use(v.Args[1]), s.constant(ir.I64, n)})
		default:
			in := s.emit(Inst{Kind: KMove, Imm: n}, []regalloc.Use{inReg(s.use(v.Args[0])), inReg(s.use(v.Args[1]))}, nil)
			chunks, ints := Pieces(n)
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
		case n > s.cpu.ClearBytes:
			s.bulk(v, ir.OpClearN, []regalloc.VReg{s.use(v.Args[0]), s.constant(ir.I64, n)})
		default:
			s.emit(Inst{Kind: KClear, Imm: n}, []regalloc.Use{inReg(s.use(v.Args[0]))}, nil)
		}
	}
}

// moveBytes copies a few bytes. All loads come before all stores, since the two places may overlap.
func (e *Emitter) moveBytes(r *regalloc.Inst, in *Inst) {
	to, from := e.asm.Places(Use(r, 0), Use(r, 1))
	vectors, ints := Pieces(in.Imm)
	for i, p := range append(vectors, ints...) {
		from.Disp = p.Off
		e.asm.Load(pieceLoads[p.size()], p.size(), Temp(r, i), from)
	}
	for i, p := range append(vectors, ints...) {
		to.Disp = p.Off
		e.asm.Store(p.size(), to, Temp(r, i))
	}
}

var pieceLoads = [...]Op{S8: Zext8, S16: Zext16, S32: Copy, S64: Copy, S128: Copy}

// A Piece is part of a small move: an access of Size bytes at Off.
type Piece struct{ Off, Size int32 }

func (p *Piece) size() Size { return Size(bits.TrailingZeros32(uint32(p.Size))) }

// Pieces cuts n bytes into accesses that may overlap: vectors and floats, then
// integers.
func Pieces(n int64) (vectors, ints []Piece) {
	off := int32(0)
	left := int32(n)
	for left >= 16 {
		vectors = append(vectors, Piece{off, 16})
		off, left = off+16, left-16
	}
	total := int32(n)
	switch {
	case left == 0:
	case total >= 16 && left > 8:
		vectors = append(vectors, Piece{total - 16, 16})
	case left == 8:
		vectors = append(vectors, Piece{off, 8})
	case total >= 8:
		if left > 8 {
			vectors = append(vectors, Piece{off, 8})
		}
		vectors = append(vectors, Piece{total - 8, 8})
	case left == 4:
		vectors = append(vectors, Piece{off, 4})
	case total > 4:
		vectors = append(vectors, Piece{off, 4}, Piece{total - 4, 4})
	default: // 1 to 3
		if left >= 2 {
			ints = append(ints, Piece{off, 2})
			off, left = off+2, left-2
		}
		if left == 1 {
			ints = append(ints, Piece{off, 1})
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
			bits := uint64(k.Aux)
			plain := t == ir.F64 && bits < 1<<31 || t == ir.F32 && !ir.IsNaN(t, bits)
			if plain && s.cpu.Fits(Store, int64(int32(bits))) {
				m, uses := s.access(v.Args[0], v.Aux, nil)
				s.emit(Inst{Kind: KStoreImm, Size: sizeOf(t), Imm: int64(int32(bits)), M: m}, uses, nil)
				return
			}
		}
		if s.keepsNaN || isNumber(k) {
			m, uses := s.access(v.Args[0], v.Aux, []regalloc.Use{inReg(s.use(x))})
			s.emit(Inst{Kind: KStore, Size: sizeOf(t), Float: true, M: m}, uses, nil)
			return
		}
		if r := s.canonicalPair(v); r >= 0 {
			m, uses := s.access(v.Args[0], v.Aux, []regalloc.Use{inReg(r)})
			s.emit(Inst{Kind: KStore, Size: sizeOf(t), Float: true, M: m}, uses, nil)
			return
		}
		m, uses := s.access(v.Args[0], v.Aux, []regalloc.Use{inReg(s.use(x))})
		s.emit(Inst{Kind: KStoreF, Size: sizeOf(t), M: m}, uses, nil)
		return
	}
	size := sizeOf(t)
	if t == ir.Ptr {
		size = S64
	}
	if k, ok := s.imm(Store, x); ok && (t != ir.Ptr || k >= 0) {
		m, uses := s.access(v.Args[0], v.Aux, nil)
		s.emit(Inst{Kind: KStoreImm, Size: size, Imm: k, M: m}, uses, nil)
		return
	}
	m, uses := s.access(v.Args[0], v.Aux, []regalloc.Use{inReg(s.use(x))})
	s.emit(Inst{Kind: KStore, Size: size, M: m}, uses, nil)
}

// isNumber reports whether a float cannot be a NaN.
func isNumber(v *ir.Value) bool {
	switch v.Op {
	case ir.OpConst:
		return !ir.IsNaN(v.Type, uint64(v.Aux))
	case ir.OpIToF, ir.OpUToF:
		return true
	}
	return false
}

// canonical defines d as x, with the bits that a NaN has in memory if it is one.
func (s *selector) canonical(x, d regalloc.VReg, size Size) {
	s.emit(Inst{Kind: KCanonical, Size: size}, []regalloc.Use{inReg(x)}, []regalloc.Def{{V: d, Need: regalloc.Same, Of: 0}})
}

// pairReach bounds how many operations after a store the one may be that shares its comparison.
const pairReach = 6

// canonicalPair returns a register with the float that v stores, a NaN as it is in memory, if one
// comparison serves this store and another near it: it tells whether any of two numbers is a NaN.
// Otherwise it returns -1, and the store handles its own. The second of two stores finds the result
// of the first.
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
		s.emit(Inst{Kind: KCanonical, Size: sizeOf(x.Type)}, []regalloc.Use{inReg(s.use(x)), inReg(s.use(y))},
			[]regalloc.Def{{V: r[0], Need: regalloc.Same, Of: 0}, {V: r[1], Need: regalloc.Same, Of: 1}})
		s.paired.store, s.paired.reg = w, r[1]
		return r[0]
	}
	return -1
}
