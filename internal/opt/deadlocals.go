package opt

import "github.com/gyrvm/gyr/internal/ir"

// deadLocals drops writes to locals that are never read: copies that other passes made needless,
// and clearing before a local is overwritten as a whole.
//
// It walks backward over the function and considers locals whose address serves only accesses. At a
// safepoint the collector reads the locals that have a live pointer there (ir.LocalLive). It leaves
// alone a local that a keep names, since the collector follows all of it, and functions that may
// continue in a recovery block.
func deadLocals(s *state) {
	f := s.f
	if len(f.Locals) == 0 || f.Recover != nil {
		return
	}
	d := &deadWrites{state: s, alias: newAliases(s)}
	n := len(f.Locals)
	d.skip = make([]bool, n)
	writes := false
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			switch v.Op {
			case ir.OpStore, ir.OpMove, ir.OpClear:
				writes = writes || d.local(v.Args[0]) >= 0
			case ir.OpKeep:
				for _, x := range v.Args {
					if l := d.local(x); l >= 0 {
						d.skip[l] = true
					}
				}
			}
		}
	}
	if !writes {
		return
	}
	d.words = (n + 63) / 64
	d.in = make([]uint64, f.NumBlocks()*d.words)
	order := s.Dom().Order
	cur := make([]uint64, d.words)
	for changed := true; changed; {
		changed = false
		for i := len(order) - 1; i >= 0; i-- {
			b := order[i]
			d.block(b, cur, false)
			in := d.of(b)
			for k, x := range cur {
				if x != in[k] {
					in[k] = x
					changed = true
				}
			}
		}
	}
	for _, b := range order {
		d.block(b, cur, true)
	}
	if d.found {
		s.changed = true
		s.sweep()
	}
}

type deadWrites struct {
	*state
	alias *aliases
	skip  []bool   // by local
	in    []uint64 // by block ID: what is read before it is overwritten
	words int
	found bool
}

func (d *deadWrites) of(b *ir.Block) []uint64 {
	return d.in[int(b.ID)*d.words : int(b.ID+1)*d.words]
}

// local returns the number of the local that p points into, -1 if it points into none or the
// address escapes the analysis.
func (d *deadWrites) local(p *ir.Value) int {
	r := d.alias.rootOf(p)
	if d.alias.roots[r].kind != rootLocal || !d.alias.private(r) || d.skip[r-3] {
		return -1
	}
	return int(r) - 3
}

// block goes backward through b: live is what is read after it, then before it. With drop it
// deletes writes that are not read.
func (d *deadWrites) block(b *ir.Block, live []uint64, drop bool) {
	d.step(len(b.Values) + d.words)
	clear(live)
	for _, t := range b.Succs {
		for i, x := range d.of(t) {
			live[i] |= x
		}
	}
	read := func(l int) {
		if l >= 0 {
			live[l/64] |= 1 << (l % 64)
		}
	}
	for i := len(b.Values) - 1; i >= 0; i-- {
		v := b.Values[i]
		if v.HasEffect(ir.Safepoint) {
			for l := range d.f.Locals {
				if d.f.LocalLive == nil || d.f.LocalLive.Holds(v.Live, l) {
					read(l)
				}
			}
		}
		switch v.Op {
		case ir.OpStore, ir.OpMove, ir.OpClear:
			l := d.local(v.Args[0])
			if l < 0 {
				break
			}
			if live[l/64]>>(l%64)&1 == 0 {
				if drop {
					deleted(v)
					d.found = true
				}
				continue // and reads nothing
			}
			if v.Op == ir.OpStore {
				break
			}
			if p := d.alias.place(v.Args[0], 0); p.idx == nil && p.off == 0 && v.Aux >= d.f.Locals[l].Size {
				live[l/64] &^= 1 << (l % 64)
			}
		}
		switch v.Op {
		case ir.OpStore, ir.OpClear, ir.OpClearN, ir.OpInvalid, ir.OpPtrAdd, ir.OpPtrIdx, ir.OpCopy, ir.OpEq, ir.OpNe,
			ir.OpNilCheck:
		case ir.OpMove, ir.OpMoveN:
			read(d.local(v.Args[1]))
		default:
			for _, x := range v.Args {
				read(d.local(x))
			}
		}
	}
}
