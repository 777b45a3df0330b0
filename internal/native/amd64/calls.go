package amd64

import (
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/native/abi"
	"github.com/gyrvm/gyr/internal/native/regalloc"
)

// call selects a call. Arguments go to their places, everything that lives on is
// in its slot.
func (s *selector) call(v *ir.Value) {
	args := v.Args
	in := inst{kind: kCall, v: v}
	var fn regalloc.VReg
	switch v.Op {
	case ir.OpCallClosure:
		fn = s.use(args[0])
		args = args[1:]
	case ir.OpCallIndex:
		fn = s.use(args[0])
		args = args[1:]
	}
	params, words := s.placesOf(v.Sig.Params)
	results, resWords := s.placesOf(v.Sig.Results)
	s.outWords = max(s.outWords, words, resWords)
	uses := s.useBuf[:0]
	for i, a := range args {
		if params[i].reg == inMemory {
			s.emit(inst{kind: kStore, op: MOV, size: S64, float: a.Type.IsFloat(), m: mem{kind: memOut, disp: params[i].word}}, []regalloc.Use{inReg(s.use(a))}, nil)
		}
	}
	for i, a := range args {
		if params[i].reg != inMemory {
			uses = append(uses, regalloc.Use{V: s.use(a), Need: regalloc.Fixed, Reg: regalloc.Reg(params[i].reg)})
		}
	}
	switch v.Op {
	case ir.OpCallClosure:
		uses = append(uses, regalloc.Use{V: fn, Need: regalloc.Fixed, Reg: regalloc.Reg(regClosure)})
	case ir.OpCallIndex:
		uses = append(uses, regalloc.Use{V: fn, Need: regalloc.Fixed, Reg: regalloc.Reg(regIndex)})
	}
	in.roots = s.rootUses(s.keeps[v.ID], &uses)
	for _, r := range in.roots {
		uses[r].Need = regalloc.Slot
	}
	var defs []regalloc.Def
	values := s.callResults(v)
	for i, r := range values {
		if r != nil && results[i].reg != inMemory {
			defs = append(defs, regalloc.Def{V: s.def(r), Need: regalloc.Fixed, Reg: regalloc.Reg(results[i].reg)})
		}
	}
	s.useBuf = uses
	c := s.emit(in, uses, defs)
	c.Clobber = allRegs
	c.Call = true
	for i, r := range values {
		if r != nil && results[i].reg == inMemory {
			s.emit(inst{kind: kLoad, op: MOV, size: S64, float: r.Type.IsFloat(), m: mem{kind: memOut, disp: results[i].word}}, nil, s.reg(s.def(r)))
		}
	}
	for _, r := range values {
		if r != nil && r != v {
			s.hostAfter(r)
		}
	}
}

// callResults returns the names of the results of the call that is being
// selected; nil has none.
func (s *selector) callResults(v *ir.Value) []*ir.Value {
	list := s.values.Make(len(v.Sig.Results))
	if len(list) == 0 {
		return nil
	}
	list[0] = v
	for _, r := range s.rest {
		if r.Op != ir.OpResult {
			break
		}
		list[r.Aux] = r
	}
	return list
}

// An exitOp is an operation that leaves for the handler.
type exitOp struct{ reason abi.Reason }

var exits = map[ir.Op]exitOp{
	ir.OpNew: {abi.NewExit}, ir.OpNewArray: {abi.ArrayExit}, ir.OpHost: {abi.HostExit}, ir.OpUnwind: {abi.UnwindExit},
}

// exit selects an operation that the handler does: its arguments are stored in
// the context, the registers that live on are kept on the stack.
func (s *selector) exit(v *ir.Value, x exitOp, extra ...regalloc.VReg) {
	uses := s.useBuf[:0]
	for _, a := range v.Args {
		r := s.use(a)
		if v.Op == ir.OpHost && (a.Type == ir.I8 || a.Type == ir.I16 || a.Type == ir.I32) && alias(a).Op != ir.OpConst {
			w := s.newVReg(ir.I64, false)
			s.signExtendTo(r, a.Type, w)
			r = w
		}
		uses = append(uses, inReg(r))
	}
	for _, r := range extra {
		uses = append(uses, inReg(r))
	}
	// More operands than there are registers: what comes last is taken from anywhere.
	ints, floats := 0, 0
	for i := range uses {
		n := &ints
		if s.rf.Class[uses[i].V] == regalloc.Float {
			n = &floats
		}
		if *n++; *n > 8 {
			uses[i].Need = regalloc.Anything
		}
	}
	in := inst{kind: kExit, v: v, exit: x.reason, nargs: len(uses)}
	switch v.Op {
	case ir.OpNew:
		in.kind = kNew
	case ir.OpNewArray:
		in.kind = kNewArray
	case ir.OpHost:
		if v.Block.Func.Module.Hosts[v.Aux].Name == "malloc" && alias(v.Args[1]).Op != ir.OpConst {
			in.kind = kNewTyped
		}
	}
	in.roots = s.rootUses(s.keeps[v.ID], &uses)
	var defs []regalloc.Def
	var late []*ir.Value
	if v.Op == ir.OpHost {
		for i, r := range s.callResults(v) {
			switch {
			case r == nil:
			case i == 0:
				defs = append(defs, regalloc.Def{V: s.def(r), Need: regalloc.Register, Early: in.kind == kNewTyped})
			default:
				late = append(late, r)
			}
		}
	} else if v.Type != ir.Void {
		defs = s.reg(s.def(v))
		// The fast path of an allocation writes the result before a root is saved.
		defs[0].Early = in.kind != kExit
	}
	s.useBuf = uses
	c := s.emit(in, uses, defs)
	c.WantLive = true
	switch in.kind {
	case kNew:
		c.Temps = s.tempsOf(1)
	case kNewArray:
		c.Temps = s.tempsOf(2)
	case kNewTyped:
		c.Temps = s.tempsOf(3)
	}
	for _, r := range late {
		s.emit(inst{kind: kLoad, op: MOV, size: S64, float: r.Type.IsFloat(), m: mem{kind: memConst, disp: abi.Args + 8*int32(r.Aux)}}, nil, s.reg(s.def(r)))
	}
	for _, r := range late {
		s.hostAfter(r)
	}
}

// gas selects a charge.
func (s *selector) gas(v *ir.Value) {
	in := inst{kind: kGas, v: v, imm: v.Aux, exit: abi.GasExit, late: v.IsLate()}
	uses := s.useBuf[:0]
	switch v.Op {
	case ir.OpGasN:
		in.kind = kGasN
		uses = append(uses, inReg(s.use(v.Args[0])))
		c := s.emit(in, uses, nil)
		c.Temps = s.tempsOf(1)
		c.WantLive = true
		return
	case ir.OpGasLoop:
		in.exit = abi.LoopExit
		in.roots = s.rootUses(s.keeps[v.ID], &uses)
	}
	c := s.emit(in, uses, nil)
	if in.imm != int64(int32(in.imm)) {
		c.Temps = s.tempsOf(1)
	}
	c.WantLive = true
}

// gasRun returns the charges at the start of a list that can be made together: any
// number of plain ones, one of a loop among them, and how many operations that are
// with what makes no code. A sum that cannot be charged is taken apart again, so
// the one is found that fails, and the loop's charge sees exact gas.
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
	in := inst{kind: kGas, v: run[0], exit: abi.GasExit, run: run, late: ir.AllLate(run)}
	uses := s.useBuf[:0]
	for _, v := range run {
		in.imm += v.Aux
		if v.Op == ir.OpGasLoop {
			in.exit = abi.LoopExit
			in.roots = s.rootUses(s.keeps[v.ID], &uses)
		}
	}
	s.at = run[0].Pos
	s.emit(in, uses, nil).WantLive = true
}

// check selects a check: a comparison and a jump to code that calls the function
// which panics.
func (s *selector) check(v *ir.Value) {
	switch v.Op {
	case ir.OpNilCheck:
		s.emit(inst{kind: kNil, v: v}, []regalloc.Use{inReg(s.use(v.Args[0]))}, nil)
	case ir.OpBounds:
		uses := s.useBuf[:0]
		c := s.newComparison(comparison{a: v.Args[0], b: v.Args[1], size: S64, cond: AE})
		if _, ok := imm32(c.a); ok && alias(c.b).Op != ir.OpConst {
			// n <= i: the message has the operands in order still
			c.a, c.b, c.cond = c.b, c.a, BE
		}
		if k, ok := imm32(c.b); ok {
			c.isImm, c.imm = true, k
		}
		uses = s.compareUses(c, uses)
		s.emit(inst{kind: kBounds, v: v, cmp: c, nargs: len(uses)}, uses, nil)
	case ir.OpCheck:
		c := s.comparison(v.Args[0])
		uses := s.compareUses(c, nil)
		n := len(uses)
		for _, a := range v.Args[1:] {
			uses = append(uses, regalloc.Use{V: s.use(a), Need: regalloc.Anything})
		}
		s.emit(inst{kind: kCheck, v: v, cmp: c, nargs: n}, uses, nil)
	}
}
