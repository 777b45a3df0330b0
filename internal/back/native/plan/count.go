package plan

import (
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// count selects a count of coverage: one addition to a counter below the context.
func (s *selector) count(v *ir.Value) {
	m := Mem{Kind: MemConst, Disp: int32(memory.Counters + 8*v.Aux)}
	if v.Op == ir.OpCount || v.Aux2 != 0 {
		if s.cpu.Updates {
			s.emit(Inst{Kind: KUpdateImm, Op: Add, Size: S64, Imm: 1, M: m}, nil, nil)
		} else {
			s.updateApart(Add, m, s.constant(ir.I64, 1))
		}
	}
	if v.Op == ir.OpCount {
		return
	}
	op := Add
	if v.Aux2 != 0 {
		op = Sub
	}
	t := s.newVReg(ir.I64, false)
	s.zeroExtend(s.use(v.Args[0]), ir.I8, t)
	if s.cpu.Updates {
		s.emit(Inst{Kind: KUpdate, Op: op, Size: S64, M: m}, []regalloc.Use{inReg(t)}, nil)
	} else {
		s.updateApart(op, m, t)
	}
}

// updateApart changes a word of memory whose address has no registers, by three instructions.
func (s *selector) updateApart(op Op, m Mem, y regalloc.VReg) {
	x, sum := s.newVReg(ir.I64, false), s.newVReg(ir.I64, false)
	s.emit(Inst{Kind: KLoad, Op: Copy, Size: S64, M: m}, nil, s.reg(x))
	s.binary(op, S64, x, y, sum)
	s.emit(Inst{Kind: KStore, Size: S64, M: m}, []regalloc.Use{inReg(sum)}, nil)
}
