package interp

import (
	"io"

	"github.com/gyrvm/gyr/internal/run/profile"
)

// The profile of processor time is sampled. Before each instruction runObserved looks at a
// word that another goroutine sets when a sample is due, and leaves with exitSample. The time went
// to the instruction before, whose address is in last. Every other exit of the loop takes the
// sample first, so the sample never counts for later code.

// startCPU makes the profile of processor time.
func (m *Machine) startCPU() {
	m.CPU = profile.NewCPU(m.VM.Mod, m.cpuStack)
	m.ticks = m.CPU.Ticks()
	m.VM.CPU = m.CPU
}

// cpuStack implements the walk of profile.NewCPU. It may be called wherever Go code of this module
// runs.
func (m *Machine) cpuStack(buf []profile.Frame) []profile.Frame {
	last := m.last
	m.last = 0
	f, ok := m.innermost(0)
	if f.low == nil {
		return buf
	}
	if f.fc == nil { // the stub of a function that is being compiled
		ok = m.caller(&f)
	} else if ok {
		// The time went to the executed instruction, if that is in this frame's function. A
		// call or return may have changed the function.
		at := uint32((f.pc - uintptr(f.fc.At(0))) / 8)
		if fc, off := m.prog.FuncAt(last + 8); fc == f.fc && last != 0 {
			at = off
			m.hits[last]++
		}
		buf = append(buf, profile.Frame{Func: f.fc.Fn.Index, Pos: f.fc.PosAt(at - 1)})
		ok = m.caller(&f)
	}
	for ; ok && len(buf) < profile.MaxDepth; ok = m.caller(&f) {
		x := profile.Frame{Func: f.fc.Fn.Index}
		if f.site != nil {
			x.Pos = f.site.Pos
		}
		buf = append(buf, x)
	}
	return buf
}

// WriteCPUProfile writes the profile of processor time.
func (m *Machine) WriteCPUProfile(w io.Writer) error { return m.CPU.Write(w) }
