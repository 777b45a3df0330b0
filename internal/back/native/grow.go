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

// A step is what a frame adds to a depth, and the way across it. Only the return address into the frame decides both. Frames have
// up to 2 GiB of locals (ir.VerifyModule), so none of it fits 32 bits.
type step struct {
	pc    uintptr
	size  uintptr // from the word that holds pc to the one that holds the caller's return address
	depth depth
}

// step returns the step across the frame that a return address leads into, nil where there is no function.
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

// depthFrom sums over a frame and its callers. A stack that grows to n frames is walked whenever it has grown by an eighth, which
// comes to 9n frames: this is the loop that makes a deep recursion on a new stack cheap or dear. Frames of one call site often
// follow each other; then the next address does not wait for a look into the table.
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

// grow is called by a prologue: the frame does not fit the stack's memory, or
// takes more guest units than were charged.
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

// setLimit sets the limit of the stack pointer. It is lowered again by what frames
// raised it by, when they return, and may not end below the memory.
func (m *Machine) setLimit(d depth) {
	guest := int64(m.stack.top) - m.Stack(0).Charged() + d.adjust
	*m.word(abi.Limit) = uint64(max(guest, int64(m.stack.bottom)+d.raised))
}
