package interp

import (
	"unsafe"

	"github.com/gyrvm/gyr/internal/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/rt"
)

// A siteCache remembers what a return address stands for.
type siteCache struct {
	pc   uintptr
	fc   *bytecode.FuncCode
	site *bytecode.Site
}

// at returns the function and the site of a return address.
func (m *Machine) at(pc uintptr) (*bytecode.FuncCode, *bytecode.Site) {
	c := &m.cache[pc/8%uintptr(len(m.cache))]
	if c.pc != pc {
		fc, off := m.prog.FuncAt(pc)
		if fc == nil {
			return nil, nil
		}
		*c = siteCache{pc, fc, fc.Site(off)}
	}
	return c.fc, c.site
}

// A frame is a physical frame during a walk.
type frame struct {
	fc   *bytecode.FuncCode
	site *bytecode.Site // where it stands; nil if that is not known
	pc   uintptr
	off  uintptr // distance from the stack's start in bytes
	low  unsafe.Pointer
}

func (f *frame) fp() unsafe.Pointer { return unsafe.Add(f.low, f.off) }

// innermost returns the innermost frame of a stack; ok is false if there is none.
func (m *Machine) innermost(id uint32) (f frame, ok bool) {
	if id == 0 {
		id = m.cur
	}
	if id == 0 || id >= uint32(len(m.stacks)) || m.stacks[id].state == stackFree {
		return f, false
	}
	s := m.stacks[id]
	f.low = unsafe.Pointer(&s.mem[0])
	if id == m.cur {
		f.pc, f.off = m.pc, m.fp-m.low
	} else {
		f.pc, f.off = s.pc, s.fp
	}
	f.fc, f.site = m.at(f.pc)
	return f, f.fc != nil && f.fc.Fn != nil
}

// caller goes to the caller's frame; false at the bottom.
func (m *Machine) caller(f *frame) bool {
	var ok bool
	if f.pc, f.off, ok = m.callerOf(f.low, f.off); !ok {
		return false
	}
	f.fc, f.site = m.at(f.pc)
	return f.fc != nil && f.fc.Fn != nil
}

// callerOf returns the return address of the frame at a distance from the
// stack's start, and its caller's frame; false if that would lie below the stack.
func (m *Machine) callerOf(low unsafe.Pointer, off uintptr) (ret, caller uintptr, ok bool) {
	link := *(*uint64)(unsafe.Add(low, off))
	ret = uintptr(link << 16 >> 16)
	if caller, ok = drop(off, link>>48); !ok || ret != m.farReturn {
		return ret, caller, ok
	}
	if caller < 16 {
		return 0, 0, false
	}
	far := (*[2]uint64)(unsafe.Add(low, caller-16))
	caller, ok = drop(caller, far[0])
	return uintptr(far[1]), caller, ok
}

// drop moves down by a number of slots; false if the stack has fewer.
func drop(off uintptr, slots uint64) (uintptr, bool) {
	if slots > uint64(off)/8 {
		return 0, false
	}
	return off - uintptr(slots)*8, true
}

// id is the number of the frame's activation.
func (f *frame) id() uint64 { return uint64(f.off)/8 + 1 }

// A walk remembers where Callers stopped, so that a traceback that takes a deep
// stack piece by piece does not begin at its top each time.
//
// Nothing tells whether the stack changed since. Whoever asks for a piece that
// begins at frame walkPiece or later has just asked for the one before, so
// that a walk that is out of date is not taken up. If it were, its frame would be
// a place within the stack that may hold anything: caller believes nothing of it.
type walk struct {
	id   uint32 // the stack; 0: none
	next int    // number of the first frame that was not stored
	f    frame
	pos  ir.Pos // of that frame
}

// walkPiece is the least that a piece of a walk has.
const walkPiece = 512

// Callers implements rt.Exec.
func (m *Machine) Callers(id uint32, skip int, buf []uint64) int {
	if id == 0 {
		id = m.cur
	}
	n, next := 0, skip+len(buf)
	mod := m.vm.Mod
	f, ok := m.innermost(id)
	pos := ir.Pos(0)
	if w := &m.walk; ok && w.id == id && w.next == skip && skip >= walkPiece && w.f.off < f.off {
		low := f.low
		f, pos, skip = w.f, w.pos, 0
		f.low = low
	} else if ok {
		if pos = f.pos(); m.herePos != 0 && id == m.cur {
			pos = m.herePos
		}
	}
	m.walk.id = 0
	for ok {
		for pos > 0 && int(pos) < len(mod.Pos) {
			e := mod.Pos[pos]
			if fn := m.funcOfSite(e.Site); fn != nil && fn.Flags&ir.Wrapper != 0 {
				pos = e.Parent
				continue
			}
			if skip > 0 {
				pos = e.Parent
				skip--
				continue
			}
			if n == len(buf) {
				f.low = nil // the walk does not keep the stack
				m.walk = walk{id, next, f, pos}
				return n
			}
			buf[n] = ir.SitePC(e.Site)
			n++
			pos = e.Parent
		}
		if ok = m.caller(&f); ok {
			pos = f.pos()
		}
	}
	return n
}

// pos is where the frame stands.
func (f *frame) pos() ir.Pos {
	if f.site != nil && f.site.Pos != 0 {
		return f.site.Pos
	}
	return f.fc.Fn.Pos
}

func (m *Machine) funcOfSite(site int32) *ir.Func {
	mod := m.vm.Mod
	if site <= 0 || int(site) >= len(mod.Sites) {
		return nil
	}
	if i := mod.Sites[site].Func; i > 0 && int(i) < len(mod.Funcs) {
		return mod.Funcs[i]
	}
	return nil
}

// inlinedParent marks the activation of a function that was inlined: it has no
// frame of its own, and its number equals that of no other.
const inlinedParent = 1 << 63

// ParentFrame implements rt.Exec. It asks the position of the call, so that a
// function inlined into a wrapper is still the caller.
func (m *Machine) ParentFrame(id uint64) uint64 {
	f, ok := m.find(id)
	for ok {
		if ok = m.caller(&f); !ok {
			break
		}
		pos := ir.Pos(0)
		if f.site != nil {
			pos = f.site.Pos
		}
		for pos > 0 && int(pos) < len(m.vm.Mod.Pos) {
			e := m.vm.Mod.Pos[pos]
			if e.Parent == 0 {
				break
			}
			if fn := m.funcOfSite(e.Site); fn != nil && fn.Flags&ir.Wrapper == 0 {
				return f.id() | inlinedParent
			}
			pos = e.Parent
		}
		if f.fc.Fn.Flags&ir.Wrapper == 0 {
			return f.id()
		}
	}
	return 0
}

// find returns the frame with a number on the current stack.
func (m *Machine) find(id uint64) (frame, bool) {
	f, ok := m.innermost(0)
	for ok && f.id() > id {
		ok = m.caller(&f)
	}
	return f, ok && f.id() == id
}

// unwind drops the frames above an activation and goes on at its recovery block.
func (m *Machine) unwind(id uint64) rt.Status {
	f, ok := m.innermost(0)
	depth := m.depth
	s := m.stacks[m.cur]
	for ok && f.id() > id {
		depth += f.fc.FrameSize
		if f.fc.LocalsSlot != 0 {
			p := (*[2]uint64)(unsafe.Add(f.fp(), f.fc.LocalsSlot*8))
			if p[0] != p[1] && len(s.chunks) > 0 {
				if st := m.popChunk(uint32(p[1])); st != rt.OK {
					return st
				}
			}
			m.ssp = uint32(p[1]) &^ newChunk
		}
		ok = m.caller(&f)
	}
	if !ok || f.id() != id || f.fc.Recover == 0 {
		return m.fail("unwind", rt.ErrCorrupt)
	}
	m.depth = depth
	m.fp = m.low + f.off
	m.pc = uintptr(f.fc.At(f.fc.Recover))
	return rt.OK
}

// walkStep is how many frames are looked at between polls.
const walkStep = 1 << 10

// MarkRoots implements rt.Exec.
func (m *Machine) MarkRoots() rt.Status {
	m.shadow.Clear(shadowKeep)
	m.runs.Clear(shadowKeep)
	m.marked.Clear(shadowKeep)
	n := 0 // locals
	left := walkStep
	for id := 1; id < len(m.stacks); id++ {
		s := m.stacks[id]
		if s.state == stackFree {
			continue
		}
		m.heap.MarkPtr(s.g)
		m.heap.MarkPtr(s.fn)
		f, ok := m.innermost(uint32(id))
		for ; ok; ok = m.caller(&f) {
			n = m.markFrame(&f, n)
			if left--; left == 0 {
				left = walkStep
				if st := m.vm.Poll(); st != rt.OK {
					return st
				}
			}
		}
	}
	n = n/64 + 1
	m.marked.Grow(n)
	m.marked.List = m.marked.List[:n]
	clear(m.marked.List)
	return rt.OK
}

// markFrame marks what a frame keeps alive by itself. n counts the locals with
// pointers of all frames.
func (m *Machine) markFrame(f *frame, n int) int {
	fp := f.fp()
	if f.site != nil {
		for _, s := range f.fc.Maps[f.site.Map : f.site.Map+f.site.N] {
			m.heap.MarkPtr(uint32(*(*uint64)(unsafe.Add(fp, uintptr(s)*8))))
		}
	}
	fc := f.fc
	if fc.LocalsSlot == 0 || len(fc.LocalPtrs) == 0 || f.pc == uintptr(fc.Entry()) {
		return n
	}
	locals := uint32(*slot(fp, uint16(fc.LocalsSlot)))
	if locals == 0 {
		return n
	}
	m.addShadow(shadowFrame{addr: locals, first: uint32(n), fn: fc.Fn.Index})
	if f.site == nil {
		m.markLocals(fc, locals, bytecode.LocalRun{To: uint32(len(fc.LocalPtrs))})
	} else {
		for _, r := range fc.LocalRuns[f.site.Run : f.site.Run+f.site.Runs] {
			m.markLocals(fc, locals, r)
		}
	}
	return n + len(fc.Locals)
}
