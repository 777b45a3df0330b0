package native

import (
	"unsafe"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A siteCache remembers the code and sites of return addresses.
type siteCache struct {
	pc   uintptr
	c    *code
	site *abi.Site
}

// at returns the code and the site of a return address, nil if it has none.
func (m *Machine) at(pc uintptr) (*code, *abi.Site) {
	if pc == m.fault.pc && pc != 0 {
		return m.fault.c, m.fault.site
	}
	x := &m.cache[(pc^pc>>8)%uintptr(len(m.cache))]
	if x.pc != pc {
		c := m.prog.at(pc)
		if c == nil {
			return nil, nil
		}
		*x = siteCache{pc, c, c.site(pc)}
	}
	return x.c, x.site
}

// A frame is a frame during a walk.
type frame struct {
	c    *code
	site *abi.Site
	low  uintptr // address of its lowest word
	pc   uintptr // the return address on top of it, now or before
	end  uintptr // of the stack's memory
	top  uintptr
}

func (f *frame) id() uint64 { return uint64(f.top-f.low) / 8 }

// find looks up the return address at sp. The frame begins after the words that the call left
// there; the return address is the lowest of them (plan.Desc.Link). It reports false if the address
// is in no function.
func (m *Machine) find(f *frame, sp uintptr) bool {
	link := uintptr(m.prog.host.link)
	if sp+link > f.top || f.end-sp > stackSpan {
		return false
	}
	f.pc = uintptr(*(*uint64)(pointer(sp)))
	f.c, f.site = m.at(f.pc)
	if f.site == nil || f.c.Fn == nil {
		return false
	}
	f.low = sp + link + uintptr(f.site.Extra)
	return f.low+uintptr(f.c.Frame) < f.top
}

// stackSpan is more than any stack takes.
const stackSpan = 1 << 46

// innermost returns the innermost frame of a stack (0: the current one).
func (m *Machine) innermost(id uint32) (f frame, ok bool) {
	s := m.Stack(id)
	if s == nil {
		return f, false
	}
	low := uintptr(unsafe.Pointer(&s.Mem[0]))
	f.end = low + 8*uintptr(len(s.Mem))
	f.top = f.end - 8*topWords
	sp := uintptr(0)
	if id == 0 || id == m.CurStack() {
		sp = uintptr(*m.word(abi.SP))
	} else {
		sp = f.end - s.FP
	}
	if sp < low || sp >= f.top {
		return f, false
	}
	if m.fault.pc != 0 && (id == 0 || id == m.CurStack()) {
		// The run is over. A fault happens in the innermost frame.
		f.pc, f.c, f.site, f.low = m.fault.pc, m.fault.c, m.fault.site, sp
		return f, f.low+uintptr(f.c.Frame) < f.top
	}
	return f, m.find(&f, sp)
}

// caller goes to the caller's frame; false at the bottom.
func (m *Machine) caller(f *frame) bool { return m.find(f, f.low+uintptr(f.c.Frame)) }

// localWords are the two words of the shadow frame, in the frame whose return address from code is
// at sp.
func (m *Machine) localWords(c *code, s *abi.Site, sp uintptr) *[2]uint64 {
	return (*[2]uint64)(pointer(sp + uintptr(m.prog.host.link) + uintptr(s.Extra) + uintptr(c.Locals)))
}

// tier is the machine as package exec sees it.
type tier Machine

func (f *frame) shared(stk uint32) exec.Frame {
	return exec.Frame{Func: f.c.Fn, Pos: f.site.Pos, ID: f.id(), Stack: stk, PC: f.pc, At: f.end - f.low}
}

// Innermost implements exec.Tier.
func (t *tier) Innermost(stk uint32) (exec.Frame, bool) {
	m := (*Machine)(t)
	f, ok := m.innermost(stk)
	if !ok {
		return exec.Frame{}, false
	}
	return f.shared(stk), true
}

// Caller implements exec.Tier.
func (t *tier) Caller(x exec.Frame) (exec.Frame, bool) {
	m := (*Machine)(t)
	s := m.Stack(x.Stack)
	if s == nil {
		return exec.Frame{}, false
	}
	f := frame{pc: x.PC}
	f.end = uintptr(unsafe.Pointer(&s.Mem[0])) + 8*uintptr(len(s.Mem))
	f.top = f.end - 8*topWords
	f.low = f.end - x.At
	if x.At > 8*uintptr(len(s.Mem)) {
		return exec.Frame{}, false
	}
	if f.c, f.site = m.at(f.pc); f.site == nil || !m.caller(&f) {
		return exec.Frame{}, false
	}
	return f.shared(x.Stack), true
}

// MarkStack implements exec.Tier.
func (t *tier) MarkStack(stk uint32) rt.Status {
	m := (*Machine)(t)
	f, ok := m.innermost(stk)
	for ; ok; ok = m.caller(&f) { // f declared outside: a loop's own variable is copied every time
		if st := m.markFrame(&f); st != rt.OK {
			return st
		}
		if st := m.Walked(); st != rt.OK {
			return st
		}
	}
	return rt.OK
}

// markFrame marks the roots in one frame.
func (m *Machine) markFrame(f *frame) rt.Status {
	c, s := f.c, f.site
	sp := f.low - uintptr(s.Extra)
	for _, w := range c.Maps[s.Root : s.Root+s.Roots] {
		m.Heap.MarkPtr(uint32(*(*uint64)(pointer(sp + 8*uintptr(w)))))
	}
	if c.Locals < 0 || len(c.LocalTable.Ptrs) == 0 || s.Reason == abi.EnterExit {
		return rt.OK
	}
	locals := uint32(*(*uint64)(pointer(f.low + uintptr(c.Locals))))
	return m.MarkFrameLocals(locals, c.Fn.Index, &c.LocalTable, c.LocalTable.Runs[s.Run:s.Run+s.Runs])
}

// Locals implements exec.Tier.
func (t *tier) Locals(fn int32) *ir.LocalTable {
	if c := t.prog.Code(fn); c != nil {
		return &c.LocalTable
	}
	return nil
}
