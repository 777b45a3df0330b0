package amd64

import (
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/memory"
	"github.com/gyrvm/gyr/internal/native/regalloc"
)

// count selects a count of coverage: one addition to a counter below the context.
func (s *selector) count(v *ir.Value) {
	m := mem{kind: memConst, disp: int32(memory.Counters + 8*v.Aux)}
	if v.Op == ir.OpCount || v.Aux2 != 0 {
		s.emit(inst{kind: kMI, op: ADD, size: S64, imm: 1, m: m}, nil, nil)
	}
	if v.Op == ir.OpCount {
		return
	}
	op := ADD
	if v.Aux2 != 0 {
		op = SUB
	}
	t := s.newVReg(ir.I64, false)
	s.zeroExtend(s.use(v.Args[0]), ir.I8, t)
	s.emit(inst{kind: kStore, op: op, size: S64, m: m}, []regalloc.Use{inReg(t)}, nil)
}
