package plan

import (
	"slices"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

// # Late charges
//
// Nothing reads the gas between a late charge and the next place where code may leave. So late charges
// wait. A block owes the charges that it has passed, and hands the debt on to its successors. It pays where
// something may read the gas: before a call, before a return, as part of the next charge that checks, and
// out of line where a check fails. In checked functions any access may fault. A table says what the code
// owed there (abi.Owed).
//
// All ways to a join must owe the same. So a block pays what it owes more than the others, or less: then
// the charge is negative. An edge that has no code gets none, since that would cost a jump: the branch that
// it comes from and the block that it leads to owe the same. Edges out of loops and to cold code may pay.

// mostOwed bounds what a block may owe, so that a charge of it, or of a difference, fits an instruction of
// every processor.
const mostOwed = 2047

// waits tells over which kinds of instructions a late charge may wait. All others, and charges that check,
// pay.
var waits = [NumKinds]bool{
	KImm: true, KPool: true, KZero: true, KLocals: true, KUnary: true, KBinary: true, KImmOp: true, KLoadOp: true, KTernary: true,
	KUpdate: true, KUpdateImm: true, KLea: true, KTruncLea: true, KLoad: true, KStore: true, KStoreImm: true, KStoreF: true,
	KCanonical: true, KSet: true, KSelect: true, KMove: true, KClear: true, KConsume: true,
	KNil: true, KBounds: true, KCheck: true, KBranch: true, KJump: true, KSwitch: true,
}

// isLate reports whether an instruction is a charge that waits.
func (in *Inst) isLate() bool { return in.Kind == KGas && in.Late && in.Imm <= mostOwed }

// An owing says what the blocks of a function owe. Places that owe the same are one class: the end of a
// block, and the beginnings of those that it leads to.
type owing struct {
	*selector
	blocks []owingOf  // by block
	class  []int32    // by place: another one of its class, or itself
	values []classOwe // by place that stands for a class
	list   []regalloc.Inst
}

// An owingOf says what a block adds.
type owingOf struct {
	pays bool  // somewhere within
	free bool  // … first by a charge that checks, which makes another one with it
	head int32 // what it adds before that
	tail int32 // what it owes behind its last payment, or adds in all
	edge bool  // it has no other code
}

// A classOwe is what a class owes.
type classOwe struct {
	units   int32
	members int32 // ends of blocks
	votes   int64 // for units, less those against
}

// The places of a block: before its first operation, and before its end.
func before(block int32) int32 { return 2 * block }
func end(block int32) int32    { return 2*block + 1 }

// delay moves late charges to where they are paid.
func (s *selector) delay() {
	if !slices.ContainsFunc(s.insts, func(in Inst) bool { return in.isLate() }) {
		return
	}
	n := len(s.rf.Blocks)
	o := owing{selector: s, blocks: make([]owingOf, n), class: s.ints.Make(2 * n), values: make([]classOwe, 2*n)}
	for _, i := range o.runs.order {
		o.summarise(i)
	}
	o.tie()
	// Nothing at joins is no worse than the charges as they are. What most ways owe is better, mostly.
	o.spread(false)
	none, cost := slices.Clone(o.values), o.cost()
	o.spread(true)
	o.spread(true)
	if o.cost() > cost {
		o.values = none
	}
	for _, i := range o.runs.order {
		o.move(i)
	}
}

// summarise finds what a block adds.
func (o *owing) summarise(i int32) {
	b, x := &o.rf.Blocks[i], &o.blocks[i]
	tail := int64(0)
	for _, r := range b.Insts {
		switch in := &o.insts[r.Tag]; {
		case in.isLate():
			tail += in.Imm
		case !waits[in.Kind]:
			if !x.pays {
				x.pays, x.free, x.head = true, in.Kind == KGas, int32(min(tail, mostOwed))
			}
			tail = 0
		}
	}
	x.tail = int32(min(tail, mostOwed))
	x.edge = len(b.Insts) == 1 && len(b.Succs) == 1
}

// tie makes the classes.
func (o *owing) tie() {
	for i := range o.class {
		o.class[i] = int32(i)
	}
	for _, i := range o.runs.order {
		b := &o.rf.Blocks[i]
		for _, t := range b.Succs {
			o.join(before(t), end(i))
			if len(b.Succs) > 1 && o.blocks[t].edge && !o.rf.Blocks[t].Cold && o.rf.Blocks[t].Depth == b.Depth {
				o.join(before(o.rf.Blocks[t].Succs[0]), end(i))
			}
		}
	}
	for _, i := range o.runs.order {
		o.at(end(i)).members++
	}
}

func (o *owing) join(x, y int32) { o.class[o.find(x)] = o.find(y) }

// find returns the place that stands for a class.
func (o *owing) find(place int32) int32 {
	for o.class[place] != place {
		o.class[place] = o.class[o.class[place]]
		place = o.class[place]
	}
	return place
}

// at is the class of a place.
func (o *owing) at(place int32) *classOwe { return &o.values[o.find(place)] }

// behind is what a block owes at its end if it does not pay there.
func (o *owing) behind(i int32) int32 {
	x := &o.blocks[i]
	if x.pays {
		return x.tail
	}
	return min(o.at(before(i)).units+x.tail, mostOwed)
}

// spread gives each class what the ends of its blocks owe, if they vote what most of them do.
func (o *owing) spread(vote bool) {
	for i := range o.values {
		o.values[i].votes = 0
	}
	for _, i := range o.runs.order {
		x, from, to := &o.blocks[i], o.at(before(i)), o.at(end(i))
		if vote && o.rf.Blocks[i].Header && !(x.pays && x.free) {
			from.vote(0, 1<<50) // or what a round owes would be refunded before the loop
		} else if vote && x.pays && !x.free && x.head == 0 {
			from.vote(0, o.runs.weight[i])
		}
		if (vote || to.members == 1) && (from != to || x.pays) {
			to.vote(o.behind(i), o.runs.weight[i])
		}
	}
}

// vote is a vote for what the class should owe.
func (c *classOwe) vote(units int32, weight int64) {
	switch {
	case units == c.units:
		c.votes += weight
	case c.votes < weight:
		c.units, c.votes = units, weight-c.votes
	default:
		c.votes -= weight
	}
}

// cost is how often the blocks pay by a charge of its own.
func (o *owing) cost() (n int64) {
	for _, i := range o.runs.order {
		x := &o.blocks[i]
		if x.pays && !x.free && o.at(before(i)).units+x.head != 0 {
			n += o.runs.weight[i]
		}
		if o.behind(i) != o.at(end(i)).units {
			n += o.runs.weight[i]
			if x.edge {
				n += o.runs.weight[i] // for the jump
			}
		}
	}
	return n
}

// move moves the charges of a block.
func (o *owing) move(i int32) {
	b := &o.rf.Blocks[i]
	owed := int64(o.at(before(i)).units)
	list := o.list[:0]
	pay := func(next *Inst) {
		if owed != 0 {
			o.insts = append(o.insts, Inst{Kind: KGas, Imm: owed, Late: true, Exit: abi.GasExit, pos: next.pos, from: next.from})
			list = append(list, regalloc.Inst{Tag: int32(len(o.insts) - 1)})
			owed = 0
		}
	}
	for _, r := range b.Insts {
		in := o.insts[r.Tag]
		switch {
		case in.isLate():
			if owed+in.Imm > mostOwed {
				pay(&in)
			}
			owed += in.Imm
			continue
		case in.Kind == KGas && !in.Late && len(r.Temps) == 0 && o.cpu.Fits(Sub, in.Imm+owed):
			o.insts[r.Tag].Owed = int32(owed)
			owed = 0
		case in.Kind == KJump || in.Kind == KBranch || in.Kind == KSwitch:
			after := int64(o.at(end(i)).units)
			owed -= after
			pay(&in)
			owed = after
			o.insts[r.Tag].Owed = int32(owed)
			if in.Cmp != nil && in.Cmp.Gas {
				in.Cmp.Imm += owed
			}
		case waits[in.Kind]:
			o.insts[r.Tag].Owed = int32(owed)
		default:
			pay(&in)
		}
		list = append(list, r)
	}
	o.list = list
	if len(list) <= len(b.Insts) {
		b.Insts = b.Insts[:copy(b.Insts, list)]
	} else {
		b.Insts = slices.Clone(list)
	}
}

// owes notes what the code from here on has not paid, in a checked function.
func (e *Emitter) owes(units int32) {
	if units != e.owed {
		e.owed = units
		e.arenas.out.owed = append(e.arenas.out.owed, abi.Owed{PC: int32(len(e.Buf)), Units: units})
	}
}
