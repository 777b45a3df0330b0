package interp

import (
	"unsafe"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A siteCache remembers the functions and sites of return addresses.
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
	site *bytecode.Site // where it is suspended; nil if that is unknown
	pc   uintptr
	off  uintptr // distance from the stack's start in bytes
	low  unsafe.Pointer
}

func (f *frame) fp() unsafe.Pointer { return unsafe.Add(f.low, f.off) }

// innermost returns the innermost frame of a stack; ok is false if there is none.
func (m *Machine) innermost(id uint32) (f frame, ok bool) {
	s := m.Stack(id)
	if s == nil {
		return f, false
	}
	f.low = unsafe.Pointer(&s.Mem[0])
	if id == 0 || id == m.CurStack() {
		f.pc, f.off = m.pc, m.fp-m.low
	} else {
		f.pc, f.off = s.PC, s.FP
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

// tier is the machine's exec.Tier.
type tier Machine

// Innermost implements exec.Tier.
func (t *tier) Innermost(id uint32) (exec.Frame, bool) {
	f, ok := (*Machine)(t).innermost(id)
	if !ok {
		return exec.Frame{}, false
	}
	return f.shared(id), true
}

// Caller implements exec.Tier.
func (t *tier) Caller(x exec.Frame) (exec.Frame, bool) {
	m := (*Machine)(t)
	f := frame{pc: x.PC, off: x.At, low: unsafe.Pointer(&m.Stack(x.Stack).Mem[0])}
	if !m.caller(&f) {
		return exec.Frame{}, false
	}
	return f.shared(x.Stack), true
}

func (f *frame) shared(stack uint32) exec.Frame {
	x := exec.Frame{Func: f.fc.Fn, ID: f.id(), Stack: stack, PC: f.pc, At: f.off}
	if f.site != nil {
		x.Pos = f.site.Pos
	}
	return x
}

// MarkStack implements exec.Tier.
func (t *tier) MarkStack(id uint32) rt.Status {
	m := (*Machine)(t)
	f, ok := m.innermost(id) // as a variable of the loop it would be copied each time
	for ; ok; ok = m.caller(&f) {
		if st := m.markFrame(&f); st != rt.OK {
			return st
		}
		if st := m.Walked(); st != rt.OK {
			return st
		}
	}
	return rt.OK
}

// Locals implements exec.Tier.
func (t *tier) Locals(fn int32) *ir.LocalTable {
	if fc := t.prog.Code(fn); fc != nil {
		return &fc.Locals
	}
	return nil
}

// unwind drops the frames above an activation and continues at its recovery block.
func (m *Machine) unwind(id uint64) rt.Status {
	f, ok := m.innermost(0)
	depth := m.depth
	for ok && f.id() > id {
		depth += f.fc.FrameSize
		if f.fc.LocalsSlot != 0 {
			if st := m.DropLocals((*[2]uint64)(unsafe.Add(f.fp(), f.fc.LocalsSlot*8))); st != rt.OK {
				return st
			}
		}
		ok = m.caller(&f)
	}
	if !ok || f.id() != id || f.fc.Recover == 0 {
		return m.Fail("unwind", memory.ErrCorrupt)
	}
	m.depth = depth
	m.fp = m.low + f.off
	m.pc = uintptr(f.fc.At(f.fc.Recover))
	return rt.OK
}

// markFrame marks the roots in one frame.
func (m *Machine) markFrame(f *frame) rt.Status {
	fp, fc := f.fp(), f.fc
	if f.site != nil {
		for _, s := range fc.Maps[f.site.Map : f.site.Map+f.site.N] {
			m.Heap.MarkPtr(uint32(*(*uint64)(unsafe.Add(fp, uintptr(s)*8))))
		}
	}
	if fc.LocalsSlot == 0 || len(fc.Locals.Ptrs) == 0 || f.pc == uintptr(fc.Entry()) {
		return rt.OK
	}
	all := [1]ir.LocalRun{{To: uint32(len(fc.Locals.Ptrs))}}
	runs := all[:]
	if f.site != nil {
		runs = fc.Locals.Runs[f.site.Run : f.site.Run+f.site.Runs]
	}
	return m.MarkFrameLocals(uint32(*slot(fp, uint16(fc.LocalsSlot))), fc.Fn.Index, &fc.Locals, runs)
}
