package interp

import (
	"slices"
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
	link := *(*uint64)(f.fp())
	f.pc = uintptr(link << 16 >> 16)
	f.off -= uintptr(link>>48) * 8
	if f.pc == m.farReturn {
		far := (*[2]uint64)(unsafe.Add(f.fp(), -16))
		f.off -= uintptr(far[0]) * 8
		f.pc = uintptr(far[1])
	}
	f.fc, f.site = m.at(f.pc)
	return f.fc != nil && f.fc.Fn != nil
}

// id is the number of the frame's activation.
func (f *frame) id() uint64 { return uint64(f.off)/8 + 1 }

// Callers implements rt.Exec.
func (m *Machine) Callers(id uint32, skip int, buf []uint64) int {
	n := 0
	mod := m.vm.Mod
	f, ok := m.innermost(id)
	first := true
	for ; ok && n < len(buf); ok = m.caller(&f) {
		pos := ir.Pos(0)
		if f.site != nil {
			pos = f.site.Pos
		}
		if first && m.herePos != 0 && (id == 0 || id == m.cur) {
			pos = m.herePos
		}
		first = false
		if pos == 0 {
			pos = f.fc.Fn.Pos
		}
		for pos > 0 && int(pos) < len(mod.Pos) {
			e := mod.Pos[pos]
			pos = e.Parent
			if fn := m.funcOfSite(e.Site); fn != nil && fn.Flags&ir.Wrapper != 0 {
				continue
			}
			if skip > 0 {
				skip--
				continue
			}
			if n == len(buf) {
				break
			}
			buf[n] = ir.SitePC(e.Site)
			n++
		}
	}
	return n
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

// MarkRoots implements rt.Exec.
func (m *Machine) MarkRoots() {
	m.shadow = m.shadow[:0]
	n := 0 // locals
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
		}
	}
	m.sorted = false
	m.marked = slices.Grow(m.marked[:0], n/64+1)[:n/64+1]
	clear(m.marked)
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
	m.shadow = append(m.shadow, shadowFrame{addr: locals, first: uint32(n), fc: fc})
	if f.site == nil {
		m.markLocals(fc, locals, bytecode.LocalRun{To: uint32(len(fc.LocalPtrs))})
	} else {
		for _, r := range fc.LocalRuns[f.site.Run : f.site.Run+f.site.Runs] {
			m.markLocals(fc, locals, r)
		}
	}
	return n + len(fc.Locals)
}
