package gas

import (
	"fmt"
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// Place puts every charge into a module as lowered, which has none yet (a base has them). Charges
// follow from the operations alone, so that a program from a portable image, whose author is
// untrusted, pays as much as one compiled here:
//
//   - counted work before the operation or call that does it (work.go);
//   - the price of a function of the runtime before a call of it, and that of a
//     host function;
//   - every block at its head: the sum of the prices of its operations, including
//     those of the computed charges, to the nearest unit, as one charge for each
//     line that has a share in it. At the head of a loop (the target of a
//     retreating edge) the sum is at least one unit, and the goroutine's quantum
//     may end at the last charge, unless the function is part of an operation.
//
// Most charges of blocks are late (see ir.Value.IsLate). Some check whether the program has what
// was charged, also by earlier charges: the last one at the head of a loop, the one at the entry of
// a function that makes calls, and those before counted work and before calls of the runtime and
// the host. The host checks once more when the program ends.
//
// A measured loop (ir.Measured) has no charge, so that an iteration costs only what the benchmark
// does. The function around it gives it few iterations at a time; it is charged and can be stopped.
//
// Functions of the runtime have a fixed price, charged at their calls. Their unbounded work is
// charged inside them: see meteringOf. Equality and hash functions of types, which lowering makes,
// are charged like any other.
//
// An error means that the module does not come from lowering.
func Place(m *ir.Module) error {
	p := placer{m: m}
	for _, f := range m.Own() {
		if f.Entry == nil {
			continue
		}
		if err := p.function(f); err != nil {
			return fmt.Errorf("gas: function %s: %w", f.Name, err)
		}
	}
	return nil
}

// A placer places the charges of one function after another.
type placer struct {
	m         *ir.Module
	f         *ir.Func
	metering  metering // of f
	b         *ir.Block
	pos       ir.Pos
	out       []*ir.Value // b.Values, charges included
	heapBytes int64       // number of the host function plus 1
	lines     lineCosts
}

func (p *placer) function(f *ir.Func) error {
	p.f, p.metering = f, meteringOf(f)
	if p.metering == meterNone {
		return nil
	}
	for _, b := range f.Blocks {
		if err := p.work(b); err != nil {
			return err
		}
	}
	switch p.metering {
	case meterBulk, meterLoop:
		p.loops()
		return nil
	case meterCall:
		return nil
	}
	heads := make([]bool, f.NumBlocks())
	for _, e := range retreatingEdges(f) {
		heads[e.head.ID] = true
	}
	var entry *ir.Block // with a charge that checks
	if makesCalls(f) {
		entry = firstPaid(f, heads)
	}
	for _, b := range f.Blocks {
		p.block(b, heads[b.ID], b == entry)
	}
	if entry != nil && !looks(entry) {
		// It costs less than half a unit: all others check.
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				if v.IsLate() {
					v.Aux2 = ir.GasChecked
				}
			}
		}
	}
	return nil
}

// looks reports whether a block has a charge that is not late.
func looks(b *ir.Block) bool {
	return slices.ContainsFunc(b.Values, func(v *ir.Value) bool {
		return v.Op.Charges() && !v.IsLate()
	})
}

// firstPaid returns the first block of a function that has a charge, if every call passes it; else one
// without. The head of a loop always has one.
func firstPaid(f *ir.Func, heads []bool) *ir.Block {
	b := f.Entry
	for !heads[b.ID] && nearest(price(b)) == 0 {
		to := b.Succs
		if b.Kind != ir.BlockJump || len(to[0].Preds) > 1 && !heads[to[0].ID] {
			return b
		}
		b = to[0]
	}
	return b
}

// price is the price of a block's operations in tenths of a unit.
func price(b *ir.Block) (tenths int64) {
	for _, v := range b.Values {
		if !v.IsCount() {
			tenths += Op(v)
		}
	}
	if b.Kind == ir.BlockIf || b.Kind == ir.BlockSwitch {
		tenths += Branch
	}
	return tenths
}

// makesCalls reports whether a function calls others, and so possibly itself.
func makesCalls(f *ir.Func) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op.CallsGuest() {
				return true
			}
		}
	}
	return false
}

// block charges a block at its head: one charge for each line that has a share. All are late except
// the last one at the head of a loop, and at the entry of a function that makes calls: every
// endless run keeps passing one of these charges.
func (p *placer) block(b *ir.Block, loop, entry bool) {
	at := firstOp(b)
	head := b.Pos
	for _, v := range b.Values[at:] {
		if !v.IsCount() {
			head = v.Pos
			break
		}
	}
	if head == 0 {
		head = p.f.Pos
	}
	p.lines.reset(head)
	for _, v := range b.Values {
		if !v.IsCount() {
			p.lines.add(v.Pos, Op(v))
		}
	}
	if b.Kind == ir.BlockIf || b.Kind == ir.BlockSwitch {
		p.lines.add(b.Pos, Branch)
	}
	charges := p.lines.share(loop)
	b.Values = slices.Insert(b.Values, at, make([]*ir.Value, len(charges))...)
	for i, c := range charges {
		v := p.f.NewValue(ir.OpGas, ir.Void)
		v.Aux, v.Pos, v.Block = c.units, c.pos, b
		switch last := i == len(charges)-1; {
		case last && loop && p.f.Flags&ir.NoPreempt == 0:
			v.Op = ir.OpGasLoop
		case !last || !loop && !entry:
			v.Aux2 = ir.GasLate
		case !loop:
			v.Aux2 = ir.GasEntry
		}
		b.Values[at+i] = v
	}
}

// firstOp returns the place of charges: after the operations that must be at the head of a block.
func firstOp(b *ir.Block) int {
	at := 0
	for at < len(b.Values) && (b.Values[at].Op == ir.OpPhi || b.Values[at].Op == ir.OpArg ||
		b.Values[at].Op == ir.OpClosure) {
		at++
	}
	return at
}

// work puts the charges for counted work and for calls of the runtime before the operations of a
// block that they belong to.
func (p *placer) work(b *ir.Block) error {
	p.b, p.out = b, nil
	for i, v := range b.Values {
		w := p.workOf(v)
		if w == nil {
			if p.out != nil {
				p.out = append(p.out, v)
			}
			continue
		}
		if p.out == nil { // the first charge in this block
			p.out = append(make([]*ir.Value, 0, len(b.Values)+8), b.Values[:i]...)
		}
		p.pos = v.Pos
		if err := w(p, v); err != nil {
			return fmt.Errorf("%s: %w", v.LongString(), err)
		}
		p.out = append(p.out, v)
	}
	if p.out != nil {
		b.Values = p.out
	}
	return nil
}

// op emits an operation of a charge.
func (p *placer) op(op ir.Op, t ir.Type, aux int64, args ...*ir.Value) *ir.Value {
	v := p.f.NewValue(op, t, args...)
	v.Aux, v.Pos, v.Block = aux, p.pos, p.b
	p.out = append(p.out, v)
	return v
}

func (p *placer) i64(n int64) *ir.Value { return p.op(ir.OpConst, ir.I64, n) }

// units charges a fixed number of units.
func (p *placer) units(n int64) {
	if n > 0 {
		p.op(ir.OpGas, ir.Void, n)
	}
}

// counted charges for n elements of bulk work, size bytes each times the weight
// of the work.
func (p *placer) counted(n *ir.Value, size int64) {
	if size == 0 {
		return
	}
	// n*size >> BulkShift, in an order that does not overflow for large n.
	shift := int64(BulkShift)
	for shift > 0 && size > 1 && size&1 == 0 {
		size >>= 1
		shift--
	}
	if n.Op == ir.OpConst {
		if u := n.Aux >> shift; u >= 0 && u <= maxUnits/size {
			p.units(u * size)
			return
		}
	}
	u := n
	switch {
	case shift > 0 && size > 1:
		u = p.op(ir.OpShrS, ir.I64, 0, u, p.i64(shift))
	case shift > 0: // a negative n, which only package unsafe can make, counts as a large one
		u = p.op(ir.OpShrU, ir.I64, 0, u, p.i64(shift))
	}
	if size > 1 {
		u = p.op(ir.OpMul, ir.I64, 0, u, p.i64(size))
	}
	p.op(ir.OpGasN, ir.Void, 0, u)
}

// maxUnits is the greatest fixed charge.
const maxUnits = 1 << 40
