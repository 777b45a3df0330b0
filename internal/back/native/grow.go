package native

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A depth is what the frames of a stack add to the distance of the stack pointer.
type depth struct {
	adjust int64 // sum of Func.Adjust, without what sites have saved below their frames
	raised int64 // sum of those above 0
}

// A step is the contribution of a frame to a depth, and the way across the frame. The return
// address into the frame decides both. Frames have up to 2 GiB of locals (ir.VerifyModule), so
// neither fits 32 bits.
type step struct {
	pc    uintptr
	size  uintptr // from the word that holds pc to the one that holds the caller's return address
	depth depth
}

// step returns the step across the frame that a return address leads into, nil if it is in no
// function.
func (m *Machine) step(pc uintptr) *step {
	x := &m.steps[(pc^pc>>8)%uintptr(len(m.steps))]
	if x.pc != pc {
		c, s := m.at(pc)
		if s == nil || c.Fn == nil {
			return nil
		}
		*x = step{pc, uintptr(m.prog.host.link) + uintptr(s.Extra) + uintptr(c.Frame), depthOf(c, s)}
	}
	return x
}

func depthOf(c *code, s *abi.Site) depth { return depth{c.Adjust - s.Below(), max(c.Adjust, 0)} }

// depthFrom sums over a frame and its callers. A growing stack is walked each time that it has
// grown by an eighth, so a stack of n frames costs 9n steps: this loop decides what a deep
// recursion on a new stack costs. Frames of one call site often follow each other; then the next
// address needs no lookup in the table.
func (m *Machine) depthFrom(f frame) depth {
	d := depthOf(f.c, f.site)
	x := &step{}
	for sp := f.low + uintptr(f.c.Frame); sp < f.top; {
		pc := uintptr(*(*uint64)(pointer(sp)))
		if pc != x.pc {
			if x = m.step(pc); x == nil {
				break
			}
		}
		if sp += x.size; sp >= f.top {
			break
		}
		d.adjust += x.depth.adjust
		d.raised += x.depth.raised
	}
	return d
}

// A prologue calls grow: the frame does not fit the stack's memory, or takes more guest units than
// were charged.
func (m *Machine) grow() rt.Status {
	f, ok := m.innermost(0)
	if !ok {
		return m.Fail("run", memory.ErrCorrupt)
	}
	d := m.depthFrom(f)
	s := m.Stack(0)
	size := m.stack.top - f.low
	if used := int64(size) + d.adjust; used > s.Charged() {
		if _, st := m.GrowFrames(used); st != rt.OK {
			return st
		}
	}
	if need := size + uintptr(d.raised) + 8*topWords + m.prog.host.slack; need > 8*uintptr(len(s.Mem)) {
		sp := m.stack.end - uintptr(*m.word(abi.SP))
		st := m.GrowStack(need)
		m.place(s)
		*m.word(abi.SP) = uint64(m.stack.end - sp)
		if st != rt.OK {
			return st
		}
	}
	m.setLimit(d)
	return rt.OK
}

// setLimit sets the limit of the stack pointer. Frames that raised it lower it again when they
// return, and it may then not be below the memory.
func (m *Machine) setLimit(d depth) {
	guest := int64(m.stack.top) - m.Stack(0).Charged() + d.adjust
	*m.word(abi.Limit) = uint64(max(guest, int64(m.stack.bottom)+d.raised))
}
