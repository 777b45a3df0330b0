package plan

import (
	"slices"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// makeBlocks numbers the blocks: the head, which leads to the entry and to the
// recovery block, and one in the middle of each critical edge.
func (s *selector) makeBlocks() {
	s.number = s.ints.Make(s.F.NumBlocks())
	s.localsV = -1
	s.blocks = append(s.blocks, blockInfo{})
	for _, b := range s.order {
		s.number[b.ID] = int32(len(s.blocks))
		s.blocks = append(s.blocks, blockInfo{b: b})
		if len(b.Succs) < 2 {
			continue
		}
		for i, t := range b.Succs {
			if len(t.Preds) > 1 || t == s.F.Entry || t == s.F.Recover {
				s.blocks = append(s.blocks, blockInfo{from: b, succ: i})
			}
		}
	}
	s.rf.Blocks = s.arenas.blocks.Make(len(s.blocks))
	link := func(from, to int32) {
		f, t := &s.rf.Blocks[from], &s.rf.Blocks[to]
		f.Succs, t.Preds = s.ints.Append(f.Succs, to), s.ints.Append(t.Preds, from)
	}
	link(0, s.number[s.F.Entry.ID])
	if r := s.F.Recover; r != nil {
		link(0, s.number[r.ID])
	}
	for _, b := range s.order {
		n := s.number[b.ID]
		rb := &s.rf.Blocks[n]
		rb.Depth = int32(s.loops.Depth(b))
		rb.Cold = s.cold[b.ID]
		if lp := s.loops.Of(b); lp != nil {
			rb.Header = lp.Header == b
		}
		m := n + 1 // where the blocks of the edges of b are
		for i, t := range b.Succs {
			to := s.number[t.ID]
			if int(m) < len(s.blocks) && s.blocks[m].from == b && s.blocks[m].succ == i {
				link(n, m)
				link(m, to)
				s.rf.Blocks[m].Depth = min(rb.Depth, int32(s.loops.Depth(t)))
				s.rf.Blocks[m].Cold = rb.Cold || s.cold[t.ID] || isUnlikely(s.loops, b, i)
				m++
			} else {
				link(n, to)
			}
		}
		for _, v := range b.Values {
			if v.Op != ir.OpPhi {
				break
			}
			rb.Params = s.arenas.vregs.Append(rb.Params, s.def(v))
		}
	}
	// The entry or the recovery block may be the target of jumps: then the edge from the head
	// would be critical. Lowering makes no such functions, images may.
	for _, t := range []*ir.Block{s.F.Entry, s.F.Recover} {
		if t != nil && len(t.Preds) > 0 {
			panic("plan: a jump to an entry")
		}
	}
}

// block selects the code of block number i. It returns early if the compilation is to stop.
func (s *selector) block(i int32) {
	s.cur = i
	clear(s.consts)
	s.products, s.quotients = s.products[:0], s.quotients[:0]
	rb := &s.rf.Blocks[i]
	rb.Args = s.vregLists.Make(len(rb.Succs))
	start := len(s.list)
	defer func() { rb.Insts = s.list[start:len(s.list):len(s.list)] }()
	b := s.blocks[i].b
	if b == nil {
		if i == 0 {
			s.entry()
			return
		}
		s.edgeArgs(s.blocks[i].from, s.blocks[i].succ, 0)
		s.emit(Inst{Kind: KJump}, nil, nil)
		return
	}
	if b == s.F.Recover {
		s.emit(Inst{Kind: KRecover}, nil, nil).Clobber = s.cpu.Ints | s.cpu.Floats
	}
	values := b.Values
	for len(values) > 0 && values[0].Op == ir.OpPhi {
		s.hostAfter(values[0])
		values = values[1:]
	}
	for i := 0; i < len(values); i++ {
		if s.meter.Step(1) {
			return
		}
		if run, n := gasRun(values[i:]); len(run) > 1 {
			s.gasTogether(run)
			i += n - 1
			continue
		}
		s.rest = values[i+1:]
		s.value(values[i])
	}
	s.terminator(b)
}

// edgeArgs sets the arguments of edge number succ of block from, which is edge number k of the
// current block.
func (s *selector) edgeArgs(from *ir.Block, succ, k int) {
	rb := &s.rf.Blocks[s.cur]
	t := from.Succs[succ]
	n := len(s.rf.Blocks[rb.Succs[k]].Params)
	if n == 0 {
		return
	}
	nth := 0 // of several edges between the two blocks
	for _, x := range from.Succs[:succ] {
		if x == t {
			nth++
		}
	}
	at := -1
	for j, p := range t.Preds {
		if p == from {
			if nth--; nth < 0 {
				at = j
				break
			}
		}
	}
	args := s.arenas.vregs.Make(n)
	for i, v := range t.Values[:n] {
		args[i] = s.use(v.Args[at])
	}
	s.rf.Blocks[s.cur].Args[k] = args
}

func (s *selector) terminator(b *ir.Block) {
	s.at, s.from = b.Pos, source{b: b}
	for k, to := range s.rf.Blocks[s.cur].Succs {
		if s.blocks[to].b != nil {
			s.edgeArgs(b, k, k)
		}
	}
	switch b.Kind {
	case ir.BlockJump:
		s.emit(Inst{Kind: KJump, B: b}, nil, nil)
	case ir.BlockIf:
		c := s.comparison(b.Ctrl)
		uses := s.compareUses(c, nil)
		s.emit(Inst{Kind: KBranch, Cmp: c, B: b}, uses, nil)
	case ir.BlockSwitch:
		s.switchOn(b)
	case ir.BlockReturn:
		s.ret(b)
	default:
		s.emit(Inst{Kind: KUnreachable, B: b}, nil, nil)
	}
}

func (s *selector) switchOn(b *ir.Block) {
	u := []regalloc.Use{inReg(s.use(b.Ctrl))}
	if t := b.Ctrl.Type; t == ir.I8 || t == ir.I16 {
		// Cases are signed. A number below 0 is as good as one above the largest if none is negative.
		signed := slices.ContainsFunc(b.Cases, func(c int64) bool { return ir.TruncConst(t, c) < 0 })
		u = []regalloc.Use{inReg(s.extended(b.Ctrl, signed))}
	}
	in := s.emit(Inst{Kind: KSwitch, B: b, Size: wide(b.Ctrl.Type)}, u, nil)
	in.Temps = s.tempsFor(KSwitch)
}

func (s *selector) ret(b *ir.Block) {
	list, _ := s.placesOf(s.F.Sig.Results)
	uses := s.useBuf[:0]
	for i, r := range b.Rets {
		if list[i].reg == inMemory {
			s.pass(r, Mem{Kind: MemFrame, Disp: list[i].word})
		}
	}
	for i, r := range b.Rets {
		if list[i].reg != inMemory {
			uses = append(uses, inFixed(s.use(r), list[i].reg))
		}
	}
	s.useBuf = uses
	in := s.emit(Inst{Kind: KReturn, B: b}, uses, nil)
	if s.LocSize > 0 {
		in.Clobber = s.cpu.ReturnClobber
	}
}

// entry selects the head: parameters arrive, locals get their memory.
func (s *selector) entry() {
	f := s.F
	list, _ := s.placesOf(f.Sig.Params)
	var defs []regalloc.Def
	var params []*ir.Value
	for _, v := range f.Entry.Values {
		switch v.Op {
		case ir.OpArg:
			if p := list[v.Aux]; p.reg != inMemory {
				defs = append(defs, regalloc.Def{V: s.def(v), Need: regalloc.Fixed, Reg: p.reg})
			}
			params = append(params, v)
		case ir.OpClosure:
			defs = append(defs, regalloc.Def{V: s.def(v), Need: regalloc.Fixed, Reg: s.cpu.Closure})
			params = append(params, v)
		}
	}
	// If a parameter has several names, one register cannot define them all: the others are
	// copies.
	seen := map[regalloc.Reg]regalloc.VReg{}
	var copies [][2]regalloc.VReg
	kept := defs[:0:0]
	for _, d := range defs {
		if first, ok := seen[d.Reg]; ok {
			copies = append(copies, [2]regalloc.VReg{first, d.V})
			continue
		}
		seen[d.Reg] = d.V
		kept = append(kept, d)
	}
	s.emit(Inst{Kind: KEntry}, nil, kept)
	for _, c := range copies {
		float := s.rf.Class[c[0]] == regalloc.Float
		s.emit(Inst{Kind: KUnary, Op: Copy, Size: S64, Float: float}, []regalloc.Use{inReg(c[0])}, s.reg(c[1]))
	}
	for _, v := range params {
		if v.Op == ir.OpArg && list[v.Aux].reg == inMemory {
			s.receive(v, Mem{Kind: MemFrame, Disp: list[v.Aux].word})
		}
	}
	if s.LocSize > 0 {
		var uses []regalloc.Use
		roots := s.rootUses(s.keepIn, &uses)
		in := s.emit(Inst{Kind: KEnterLocals, Exit: abi.LocalsExit, Roots: roots}, uses, nil)
		in.Temps = s.tempsFor(KEnterLocals)
		in.WantLive = true
		s.localsV = s.newVReg(ir.Ptr, true)
		s.emit(Inst{Kind: KLocals}, nil, s.reg(s.localsV))
	}
	for _, v := range params {
		s.hostAfter(v)
	}
	s.emit(Inst{Kind: KHead}, nil, nil)
}
