package plan

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// call selects a call. Arguments go to their places; everything that stays live is in its slot.
func (s *selector) call(v *ir.Value) {
	args := v.Args
	in := Inst{Kind: KCall, V: v}
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
			s.pass(a, Mem{Kind: MemOut, Disp: params[i].word})
		}
	}
	for i, a := range args {
		if params[i].reg != inMemory {
			uses = append(uses, inFixed(s.use(a), params[i].reg))
		}
	}
	switch v.Op {
	case ir.OpCallClosure:
		uses = append(uses, inFixed(fn, s.cpu.Closure))
	case ir.OpCallIndex:
		uses = append(uses, inFixed(fn, s.cpu.Index))
	}
	in.Roots = s.rootUses(s.keeps[v.ID], &uses)
	for _, r := range in.Roots {
		uses[r].Need = regalloc.Slot
	}
	var defs []regalloc.Def
	values := s.callResults(v)
	for i, r := range values {
		if r != nil && results[i].reg != inMemory {
			defs = append(defs, regalloc.Def{V: s.def(r), Need: regalloc.Fixed, Reg: results[i].reg})
		}
	}
	s.useBuf = uses
	c := s.emit(in, uses, defs)
	c.Clobber = s.cpu.Ints | s.cpu.Floats
	c.Call = true
	for i, r := range values {
		if r != nil && results[i].reg == inMemory {
			s.receive(r, Mem{Kind: MemOut, Disp: results[i].word})
		}
	}
	for _, r := range values {
		if r != nil && r != v {
			s.hostAfter(r)
		}
	}
}

// callResults returns the names of the results of the call that is being selected; nil for a result
// without one.
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

// exits are the operations that leave for the handler.
var exits = [ir.NumOps]abi.Reason{
	ir.OpNew: abi.NewExit, ir.OpNewArray: abi.ArrayExit, ir.OpHost: abi.HostExit, ir.OpUnwind: abi.UnwindExit,
}

// exitRegs bounds the operands of a class that an exit has in registers: every processor has more.
const exitRegs = 8

// exit selects an operation of the handler: its arguments are stored in the context, and the live
// registers on the stack.
func (s *selector) exit(v *ir.Value, reason abi.Reason) {
	var args []regalloc.VReg
	for _, a := range v.Args {
		r := s.use(a)
		if v.Op == ir.OpHost && (a.Type == ir.I8 || a.Type == ir.I16 || a.Type == ir.I32) && alias(a).Op != ir.OpConst {
			w := s.newVReg(ir.I64, false)
			s.signExtendTo(r, a.Type, w)
			r = w
		}
		args = append(args, r)
	}
	if v.Op == ir.OpHost {
		if n := s.cpu.routine(ir.OpHost, v.Block.Func.Module.Primitives[v.Aux].Name); n >= 0 {
			s.routine(v, n, args)
			return
		}
	}
	s.exitWith(v, reason, args)
}

// exitWith is exit with other arguments than those of v.
func (s *selector) exitWith(v *ir.Value, reason abi.Reason, args []regalloc.VReg) {
	uses := s.useBuf[:0]
	for _, r := range args {
		uses = append(uses, inReg(r))
	}
	// If there are more operands than registers, the last ones are taken from anywhere.
	ints, floats := 0, 0
	for i := range uses {
		n := &ints
		if s.rf.Class[uses[i].V] == regalloc.Float {
			n = &floats
		}
		if *n++; *n > exitRegs {
			uses[i].Need = regalloc.Anything
		}
	}
	in := Inst{Kind: KExit, V: v, Exit: reason, NArgs: len(uses)}
	switch v.Op {
	case ir.OpNew:
		in.Kind = KNew
	case ir.OpNewArray:
		in.Kind = KNewArray
	case ir.OpHost:
		if v.Block.Func.Module.Primitives[v.Aux].Info().Is(ir.AllocatesType) && alias(v.Args[1]).Op != ir.OpConst {
			in.Kind = KNewTyped
		}
	}
	in.Roots = s.rootUses(s.keeps[v.ID], &uses)
	var defs []regalloc.Def
	var late []*ir.Value
	if v.Op == ir.OpHost {
		for i, r := range s.callResults(v) {
			switch {
			case r == nil:
			case i == 0:
				defs = append(defs, regalloc.Def{V: s.def(r), Need: regalloc.Register, Early: in.Kind == KNewTyped})
			default:
				late = append(late, r)
			}
		}
	} else if v.Type != ir.Void {
		defs = s.reg(s.def(v))
		// The fast path of an allocation writes the result before a root is saved.
		defs[0].Early = in.Kind != KExit
	}
	s.useBuf = uses
	c := s.emit(in, uses, defs)
	c.WantLive = true
	c.Temps = s.tempsFor(in.Kind)
	for _, r := range late {
		s.receive(r, Mem{Kind: MemConst, Disp: abi.Args + 8*int32(r.Aux)})
	}
	for _, r := range late {
		s.hostAfter(r)
	}
}

// check selects a check: a comparison and a jump to code that calls the function that panics.
func (s *selector) check(v *ir.Value) {
	switch v.Op {
	case ir.OpNilCheck:
		s.emit(Inst{Kind: KNil, V: v}, []regalloc.Use{inReg(s.use(v.Args[0]))}, nil)
	case ir.OpBounds:
		uses := s.useBuf[:0]
		c := s.newComparison(Comparison{A: v.Args[0], B: v.Args[1], Size: S64, Cond: GeU})
		if _, ok := s.imm(Cmp, c.A); ok && alias(c.B).Op != ir.OpConst {
			// n <= i: the message still has the operands in order
			c.A, c.B, c.Cond = c.B, c.A, LeU
		}
		if k, ok := s.imm(Cmp, c.B); ok {
			c.IsImm, c.Imm = true, k
		}
		uses = s.compareUses(c, uses)
		s.emit(Inst{Kind: KBounds, V: v, Cmp: c, NArgs: len(uses)}, uses, nil)
	case ir.OpCheck:
		c := s.comparison(v.Args[0])
		uses := s.compareUses(c, nil)
		n := len(uses)
		for _, a := range v.Args[1:] {
			uses = append(uses, regalloc.Use{V: s.use(a), Need: regalloc.Anything})
		}
		s.emit(Inst{Kind: KCheck, V: v, Cmp: c, NArgs: n}, uses, nil)
	}
}

// A place is where an argument or result is passed: a register, or a word of
// the caller's frame.
type place struct {
	reg  regalloc.Reg
	word int32
}

// inMemory is the register of a place that is a word.
const inMemory regalloc.Reg = 255

// pass stores an argument or result to a word.
func (s *selector) pass(v *ir.Value, m Mem) {
	s.emit(Inst{Kind: KStore, Size: S64, Float: v.Type.IsFloat(), M: m}, []regalloc.Use{inReg(s.use(v))}, nil)
}

// receive loads a parameter or result from a word.
func (s *selector) receive(v *ir.Value, m Mem) {
	s.emit(Inst{Kind: KLoad, Op: Copy, Size: S64, Float: v.Type.IsFloat(), M: m}, nil, s.reg(s.def(v)))
}

// placesOf assigns the scalars of a list. words is how many need memory.
func (m *arenas) placesOf(types []ir.Type) (list []place, words int32) {
	list = m.places.Make(len(types))[:0]
	ints, floats := m.cpu.IntArgs, m.cpu.FloatArgs
	for _, t := range types {
		switch {
		case t.IsFloat() && len(floats) > 0:
			list = append(list, place{reg: floats[0]})
			floats = floats[1:]
		case !t.IsFloat() && len(ints) > 0:
			list = append(list, place{reg: ints[0]})
			ints = ints[1:]
		default:
			list = append(list, place{reg: inMemory, word: words})
			words++
		}
	}
	return list, words
}

// bulk selects a call of the routine for op on bulk memory, or leaves for the handler if there is
// no routine.
func (s *selector) bulk(v *ir.Value, op ir.Op, args []regalloc.VReg) {
	if n := s.cpu.routine(op, ""); n >= 0 {
		s.routine(v, n, args)
		return
	}
	s.exitWith(v, bulkExits[op], args)
}

// routine selects a call of a routine.
func (s *selector) routine(v *ir.Value, n int, args []regalloc.VReg) {
	to := &s.cpu.Routines[n]
	uses := s.useBuf[:0]
	for i, r := range args {
		uses = append(uses, inFixed(r, to.Args[i]))
	}
	var defs []regalloc.Def
	clobber := to.Clobber
	if v.Type != ir.Void {
		defs = []regalloc.Def{{V: s.def(v), Need: regalloc.Fixed, Reg: s.cpu.RoutineResult}}
		clobber = clobber.Without(s.cpu.RoutineResult)
	}
	s.useBuf = uses
	in := s.emit(Inst{Kind: KBulk, V: v, Imm: int64(n)}, uses, defs)
	in.Clobber = clobber
	in.WantLive = true
}
