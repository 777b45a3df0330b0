package exec

import (
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A Frame is a frame of an execution stack during a walk.
type Frame struct {
	Func *ir.Func
	Pos  ir.Pos // where the frame stands; 0: unknown
	// ID is the number of the activation: its place on the stack. It grows from caller to callee
	// and is never 0.
	ID uint64

	Stack  uint32  // number of the stack
	PC, At uintptr // the tier's: resume address and place of the frame
}

// A Tier is what a machine's other half knows: the layout of frames.
//
// Frames may be out of date: the place that Caller gets may by now hold anything. Caller trusts
// none of it.
type Tier interface {
	// Innermost returns the innermost frame of a stack, or false.
	Innermost(stk uint32) (Frame, bool)
	// Caller returns the frame of a frame's caller, or false at the bottom.
	Caller(f Frame) (Frame, bool)
	// MarkStack calls Heap.MarkPtr for the pointers in the frames of a stack, MarkFrameLocals for
	// their locals, and Walked after each frame.
	MarkStack(stk uint32) rt.Status
	// Locals returns the table of a function that was passed to MarkFrameLocals.
	Locals(fn int32) *ir.LocalTable
}

// A walk remembers where Callers stopped, so that a traceback that reads a deep stack in pieces
// does not begin at its top each time.
//
// Nothing tells whether the stack has changed since. A caller that asks for a piece from frame
// walkPiece on has just asked for the piece before, so an outdated walk is not resumed. If it were,
// its frame would be a place in the stack that may hold anything, and Caller trusts none of it.
type walk struct {
	id   uint32 // the stack; 0: none
	next int    // number of the first frame that was not stored
	f    Frame
	pos  ir.Pos   // of that frame
	in   *ir.Func // the function that the frame calls
}

// walkPiece is the least number of frames in a piece of a walk.
const walkPiece = 512

// Callers implements rt.Exec.
func (m *Core) Callers(id uint32, skip int, buf []uint64) int {
	if id == 0 {
		id = m.cur
	}
	n, next := 0, skip+len(buf)
	mod := m.VM.Mod
	f, ok := m.tier.Innermost(id)
	pos := ir.Pos(0)
	var in *ir.Func
	if w := &m.walk; ok && w.id == id && w.next == skip && skip >= walkPiece && w.f.ID < f.ID {
		f, pos, in, skip = w.f, w.pos, w.in, 0
	} else if ok {
		if pos = f.pos(); m.herePos != 0 && id == m.cur {
			pos = m.herePos
		}
	}
	m.walk.id = 0
	for ok {
		for {
			e, known := mod.Position(pos)
			if !known {
				break
			}
			fn := m.funcOfSite(e.Site)
			switch {
			case fn != nil && fn.Flags&ir.Wrapper != 0 && !panics(in):
			case skip > 0:
				skip--
			case n == len(buf):
				m.walk = walk{id, next, f, pos, in}
				return n
			default:
				buf[n] = ir.SitePC(e.Site)
				n++
			}
			pos, in = e.Parent, fn
		}
		if f, ok = m.tier.Caller(f); ok {
			pos = f.pos()
		}
	}
	return n
}

// panics reports whether a panic begins in a function. A wrapper that calls it does not stand
// between a call and the intended callee, so it is shown.
func panics(fn *ir.Func) bool {
	return fn != nil && (fn.Name == "runtime.panicwrap" || fn.Name == "runtime.sigpanic" || fn.Name == "runtime.gopanic")
}

// pos is the position of the frame.
func (f *Frame) pos() ir.Pos {
	if f.Pos != 0 {
		return f.Pos
	}
	return f.Func.Pos
}

func (m *Core) funcOfSite(site int32) *ir.Func {
	mod := m.VM.Mod
	if s, _ := mod.Site(site); s.Func > 0 && int(s.Func) < mod.NumFuncs() {
		return mod.Func(int(s.Func))
	}
	return nil
}

// inlinedParent marks the activation of an inlined function. It has no frame, and its number
// differs from all others.
const inlinedParent = 1 << 63

// ParentFrame implements rt.Exec. It uses the position of the call, so that a function inlined into
// a wrapper is still the caller.
func (m *Core) ParentFrame(id uint64) uint64 {
	f, ok := m.find(id)
	for ok {
		if f, ok = m.tier.Caller(f); !ok {
			break
		}
		pos := f.Pos
		for {
			e, known := m.VM.Mod.Position(pos)
			if !known || e.Parent == 0 {
				break
			}
			if fn := m.funcOfSite(e.Site); fn != nil && fn.Flags&ir.Wrapper == 0 {
				return f.ID | inlinedParent
			}
			pos = e.Parent
		}
		if f.Func.Flags&ir.Wrapper == 0 {
			return f.ID
		}
	}
	return 0
}

// find returns the frame with a number on the current stack.
func (m *Core) find(id uint64) (Frame, bool) {
	f, ok := m.tier.Innermost(m.cur)
	for ok && f.ID > id {
		f, ok = m.tier.Caller(f)
	}
	return f, ok && f.ID == id
}

// walkStep is how many frames are visited between polls.
const walkStep = 1 << 10

// MarkRoots implements rt.Exec.
func (m *Core) MarkRoots() rt.Status {
	if cap(m.runs.List) == 0 { // the first collection: most programs need no more
		m.shadow.Grow(256)
		m.runs.Grow(64)
		m.marked.Grow(64)
	}
	m.shadow.Clear(shadowKeep)
	m.runs.Clear(shadowKeep)
	m.marked.Clear(shadowKeep)
	m.spans, m.left = 0, walkStep
	for id := 1; id < len(m.stacks); id++ {
		s := m.stacks[id]
		if s.state == stackFree {
			continue
		}
		m.Heap.MarkPtr(s.g)
		m.Heap.MarkPtr(s.fn)
		if st := m.tier.MarkStack(uint32(id)); st != rt.OK {
			return st
		}
	}
	for _, p := range m.results {
		m.Heap.MarkPtr(p)
	}
	n := int(m.spans)/64 + 1
	m.marked.Grow(n)
	m.marked.List = m.marked.List[:n]
	clear(m.marked.List)
	return rt.OK
}

// Walked is called after each frame of a walk that may be long: it polls.
func (m *Core) Walked() rt.Status {
	if m.left--; m.left > 0 {
		return rt.OK
	}
	m.left = walkStep
	return m.VM.Poll()
}
