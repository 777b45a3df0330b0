package plan

import (
	"slices"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/arena"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// An Emitter is a function whose values have places, on its way into code. It walks over the blocks
// in code order and writes their instructions, with a Writer.
type Emitter struct {
	*selector
	*Buffer
	asm    Assembler
	Start  Label   // of the function
	labels []Label // of blocks
	final  []int32 // by block: where a jump to it ends up
	empty  []bool  // by block: nothing but a jump

	Frame    int32 // bytes below what Desc.Link counts
	SlotBase int32 // offset of the spill slots
	LocalsAt int32 // offset of the words of the shadow frame
	Tabler   ir.LocalTabler

	Pos     ir.Pos  // of the instruction that is being written
	owed    int32   // by the code that is being written, in a checked function
	seq     []int32 // blocks in the order of the code
	cur     int32   // block
	follows int32   // the next one
	stubOf  []*Inst // with notes: the instruction that owns the out-of-line code

	pool  constants
	jumps []jumpTable
}

// run writes everything. It reports false if the compilation is to stop.
func (e *Emitter) run() bool {
	e.layout()
	for {
		done, ok := e.write()
		if done || !ok {
			return ok
		}
		*e = Emitter{selector: e.selector, Frame: e.Frame, SlotBase: e.SlotBase, LocalsAt: e.LocalsAt}
		e.arenas.out.reset()
		clear(e.mapAt)
		e.stubs, e.Out.Notes = arena.Kept(e.stubs), nil
	}
}

// write writes everything once. It reports done if the code is complete, and not ok if the compilation
// is to stop.
func (e *Emitter) write() (done, ok bool) {
	e.Tabler = ir.NewLocalTabler(e.F, e.locals)
	e.asm = e.writer.Begin(e)
	e.Buffer = e.asm.Code()
	e.startCount(e.Env.Tally, e.asm)
	n := len(e.rf.Blocks)
	e.labels = e.arenas.labels.Make(n)
	e.Start = e.NewLabel()
	e.Bind(e.Start)
	for i := range e.labels {
		e.labels[i] = e.NewLabel()
	}
	e.findEmpty()
	e.seq = slices.DeleteFunc(e.placeBlocks(), func(i int32) bool { return e.empty[i] })
	tops := e.tops()
	for k, i := range e.seq {
		if tops[i] {
			e.Note(abi.Note{Kind: abi.NotePad})
			e.pad(topAlign)
		}
		e.follows = -1
		if k+1 < len(e.seq) {
			e.follows = e.seq[k+1]
		}
		if !e.writeBlock(i) {
			return false, false
		}
	}
	e.owes(0)
	for i := 0; i < len(e.stubs); i++ {
		if e.meter.Step(1) {
			return false, false
		}
		e.noteStub()
		e.stubs[i]()
	}
	for i, l := range e.labels { // of empty blocks, which no code jumps to
		if e.empty[i] {
			e.Bind(l)
		}
	}
	e.Note(abi.Note{Kind: abi.NoteData})
	e.writeConstants()
	if !e.writer.End() {
		return false, true
	}
	e.fillTables()
	o := e.Out
	o.Code = slices.Clone(e.Buf)
	o.LocalTable, o.Blocks = e.Tabler.Table(), e.tally.blocks
	e.arenas.out.give(o)
	return true, true
}

func (e *Emitter) writeBlock(i int32) bool {
	e.cur = i
	e.Bind(e.labels[i])
	b := e.blocks[i].b
	e.Note(abi.Note{Kind: abi.NoteBlock, Block: b, Cold: e.rf.Blocks[i].Cold})
	if b != nil && b == e.F.Recover {
		e.Out.Recover = int32(len(e.Buf))
	}
	steps := e.rf.Blocks[i].Steps
	for k := range steps {
		if e.meter.Step(1) {
			return false
		}
		s := &steps[k]
		if s.Inst == nil {
			e.noteMove(s)
			e.move(s)
			continue
		}
		in := &e.insts[s.Inst.Tag]
		e.noteOp(in)
		if in.pos != 0 && in.pos != e.Pos {
			e.Pos = in.pos
			e.arenas.out.lines = append(e.arenas.out.lines, abi.Line{PC: int32(len(e.Buf)), Pos: in.pos})
		}
		if e.Checked && in.Kind != KGas {
			e.owes(in.Owed)
		}
		e.inst(s.Inst, in)
		e.noteStubs(in)
	}
	return true
}

// Later has code written out of line, after the blocks.
func (e *Emitter) Later(write func()) {
	if owed := e.owed; owed != 0 {
		in := write
		write = func() {
			e.owes(owed)
			in()
			e.owes(0)
		}
	}
	e.stubs = append(e.stubs, write)
}

// layout decides the frame.
func (e *Emitter) layout() {
	o := e.Out
	e.SlotBase = 8 * e.outWords
	need := e.SlotBase + 8*e.rf.Slots
	if e.LocSize > 0 {
		e.LocalsAt = need
		o.Locals = need
		need += 16
	}
	link := int64(e.cpu.Link)
	native := int64(need) + link
	o.Guest = e.F.Frame
	switch {
	case o.Guest >= native && o.Guest-native <= e.cpu.Fill:
		need = int32(o.Guest - link)
	default:
		o.Adjust = o.Guest - native
	}
	e.Frame, o.Frame = need, need
}

// findEmpty finds the blocks that have no code left.
func (e *Emitter) findEmpty() {
	n := len(e.rf.Blocks)
	e.empty = e.bools.Make(n)
	e.final = e.ints.Make(n)
	for i := range e.rf.Blocks {
		b := &e.rf.Blocks[i]
		e.final[i] = -1
		e.empty[i] = i > 0 && len(b.Steps) == 1 && len(b.Succs) == 1 && e.insts[b.Steps[0].Inst.Tag].Kind == KJump
	}
	for i := range e.final {
		// A cycle of empty blocks, an empty endless loop, stays one block.
		t := int32(i)
		for steps := 0; e.empty[t]; steps++ {
			if steps > n {
				e.empty[t] = false
				break
			}
			t = e.rf.Blocks[t].Succs[0]
		}
		e.final[i] = t
	}
}

// A Target is where a branch leads: a block.
type Target int32

// Target is successor number succ of the current block.
func (e *Emitter) Target(succ int) Target { return Target(e.final[e.rf.Blocks[e.cur].Succs[succ]]) }

// Label is the label of a target.
func (e *Emitter) Label(t Target) Label { return e.labels[t] }

// Follows reports whether the code of a target follows that of the current block.
func (e *Emitter) Follows(t Target) bool { return int32(t) == e.follows }

// Remat is the instruction that computes a value anew.
func (e *Emitter) Remat(v regalloc.VReg) *Inst { return &e.insts[e.remat[v]] }

// IsFloat reports whether a value is a float.
func (e *Emitter) IsFloat(v regalloc.VReg) bool { return e.rf.Class[v] == regalloc.Float }

// SlotAt is the offset of a slot in the frame.
func (e *Emitter) SlotAt(l regalloc.Loc) int32 { return e.SlotBase + 8*l.Slot() }
