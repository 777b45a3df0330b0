package plan

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt/facts"
)

// gas selects a charge.
func (s *selector) gas(v *ir.Value) {
	in := Inst{Kind: KGas, V: v, Imm: v.Aux, Exit: abi.GasExit, Late: v.IsLate()}
	uses := s.useBuf[:0]
	switch v.Op {
	case ir.OpGasN:
		in.Kind = KGasN
		uses = append(uses, inReg(s.use(v.Args[0])))
		c := s.emit(in, uses, nil)
		if mayExceed(v) {
			c.Temps = s.tempsFor(KGasN)
		}
		c.WantLive = true
		return
	case ir.OpGasLoop:
		in.Exit = abi.LoopExit
		in.Roots = s.rootUses(s.keeps[v.ID], &uses)
	}
	c := s.emit(in, uses, nil)
	s.chargeTemps(c, in.Imm)
	c.WantLive = true
}

// mayExceed reports whether the number of a counted charge may be above 2^62, or negative.
func mayExceed(v *ir.Value) bool { return facts.Most(v.Args[0]) > 1<<62 }

// consume keeps its operand alive up to here, wherever it is. A value that is in a register anyway
// costs nothing, and a constant, which can be computed again, is not held.
func (s *selector) consume(v *ir.Value) {
	if a := alias(v.Args[0]); a.Op != ir.OpConst && a.Op != ir.OpLocalAddr {
		s.emit(Inst{Kind: KConsume, V: v}, []regalloc.Use{{V: s.use(a), Need: regalloc.Anything}}, nil)
	}
}

// chargeTemps adds a temporary to a charge whose amount does not fit an instruction.
func (s *selector) chargeTemps(c *regalloc.Inst, n int64) {
	if !s.cpu.Fits(Sub, n) {
		c.Temps = s.tempsOf(1)
	}
}

// gasRun returns the charges at the start of a list that can be made together: any number of plain
// ones, with at most one loop charge. n is how many operations that is, including those without
// code. A sum that cannot be charged is split again, so that the failing charge is found and the
// loop charge sees exact gas.
func gasRun(list []*ir.Value) (run []*ir.Value, n int) {
	sum, loop := int64(0), false
	for i, v := range list {
		switch v.Op {
		case ir.OpGas, ir.OpGasLoop:
			if sum+v.Aux >= 1<<31 || loop && v.Op == ir.OpGasLoop {
				return run, n
			}
			loop = loop || v.Op == ir.OpGasLoop
			sum += v.Aux
			run, n = append(run, v), i+1
		case ir.OpKeep:
		default:
			return run, n
		}
	}
	return run, n
}

// gasTogether selects one subtraction for several charges.
func (s *selector) gasTogether(run []*ir.Value) {
	in := Inst{Kind: KGas, V: run[0], Exit: abi.GasExit, Run: run, Late: ir.AllLate(run)}
	uses := s.useBuf[:0]
	for _, v := range run {
		in.Imm += v.Aux
		if v.Op == ir.OpGasLoop {
			in.Exit = abi.LoopExit
			in.Roots = s.rootUses(s.keeps[v.ID], &uses)
		}
	}
	s.at = run[0].Pos
	c := s.emit(in, uses, nil)
	s.chargeTemps(c, in.Imm)
	c.WantLive = true
}
