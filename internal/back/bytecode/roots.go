package bytecode

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// A keep is what an OpKeep asks for: registers that are held across a safepoint as its roots, and
// locals whose pointers are all roots there.
type keep struct {
	bases  []vreg
	locals []int32
}

type rootState struct {
	keeps   []keep  // 0 is empty
	keepOf  []int32 // by value ID of the safepoint
	atEntry int32   // of the function: EnterLocals, growth of the stack
	slotMem []uint32
}

func (s *rootState) again(values int) rootState {
	return rootState{keeps: append(s.keeps[:0], keep{}), keepOf: zeroed(s.keepOf, values), slotMem: s.slotMem[:0]}
}

// findKeeps reads the keeps and removes operands that need no register.
func (c *compiler) findKeeps() {
	for _, b := range c.blocks {
		var at *ir.Value
		for _, v := range b.b.Values {
			if v.Op != ir.OpKeep {
				if v.HasEffect(ir.Safepoint) {
					at = v
				}
				continue
			}
			bases, locals := v.Kept()
			k := keep{locals: locals}
			for _, x := range bases {
				k.bases = append(k.bases, c.opnd(x))
			}
			n := int32(len(c.keeps))
			c.keeps = append(c.keeps, k)
			switch {
			case v.Aux == ir.KeepEntry:
				c.atEntry = n
			case at != nil:
				c.keepOf[at.ID] = n
			}
		}
	}
}

// keep returns what is held across a safepoint; nil means the entry of the function.
func (c *compiler) keep(v *ir.Value) *keep {
	if v == nil {
		return &c.keeps[c.atEntry]
	}
	return &c.keeps[c.keepOf[v.ID]]
}

// liveAt gives the last site the pointers in locals that are live there: at a safepoint, or (nil)
// where a panic may begin.
func (c *compiler) liveAt(v *ir.Value) {
	var kept []int32
	if v != nil {
		kept = c.keep(v).locals
	}
	s := &c.out.Sites[len(c.out.Sites)-1]
	s.Run, s.Runs = c.localTable.At(v, kept)
}

// roots returns the slots that are roots at a safepoint, in order.
func (c *compiler) roots(v *ir.Value) []uint32 {
	m := c.slotMem[:0]
	for _, r := range c.keep(v).bases {
		m = append(m, uint32(c.slotOf(r)))
	}
	slices.Sort(m)
	c.slotMem = m
	return slices.Compact(m)
}
