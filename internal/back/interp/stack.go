package interp

import (
	"unsafe"

	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// start makes the first stack and selects it.
func (m *Machine) start() rt.Status {
	main, _ := m.prog.Boot()
	id, st := m.newStack(0, main)
	if st != rt.OK {
		return st
	}
	m.load(m.Select(id))
	return rt.OK
}

// newStack makes a stack that begins at pc.
func (m *Machine) newStack(fn uint32, pc unsafe.Pointer) (uint32, rt.Status) {
	id, st := m.AddStack(fn)
	if st != rt.OK {
		return 0, st
	}
	if m.trace != nil {
		m.trace.forget(id)
	}
	s := m.Stack(id)
	s.PC = uintptr(pc)
	s.Mem[0] = 0
	return id, rt.OK
}

// NewStack implements rt.Exec.
func (m *Machine) NewStack(fn uint32) (uint32, rt.Status) {
	_, boot := m.prog.Boot()
	id, st := m.newStack(fn, boot)
	if st != rt.OK {
		return 0, st
	}
	m.Stack(id).Mem[2] = uint64(fn)
	return id, rt.OK
}

// save stores the registers that belong to the current stack.
func (m *Machine) save(s *exec.Stack) { s.PC, s.FP, s.Depth = m.pc, m.fp-m.low, m.depth }

// load loads the registers of the stack that has become the current one.
func (m *Machine) load(s *exec.Stack) {
	m.place(s, s.FP)
	m.pc, m.depth = s.PC, s.Depth
}

// place sets the registers that depend on the address of the current stack. Its frame is at bytes
// from the start.
func (m *Machine) place(s *exec.Stack, at uintptr) {
	m.low = uintptr(unsafe.Pointer(&s.Mem[0]))
	m.slimit = m.low + uintptr(len(s.Mem))*8
	m.fp = m.low + at
}

// switchStack continues with the stack that SwitchTo named.
func (m *Machine) switchStack() {
	if from, to := m.Switch(); from != to {
		m.save(from)
		m.load(to)
	}
}

// growStack makes room for need bytes at m.fp.
func (m *Machine) growStack(need uintptr) rt.Status {
	// The callee's arguments lie above fp, within the bytes that it needs.
	at := m.fp - m.low
	st := m.GrowStack(at + need)
	m.place(m.Stack(0), at)
	return st
}

// growGuest is called when the guest's frames exceed what was counted.
func (m *Machine) growGuest() rt.Status {
	used := m.Stack(0).Charged() - m.depth
	charged, st := m.GrowFrames(used)
	m.depth = charged - used
	return st
}

// waiting is a machine that waits for the host's next call.
type waiting struct {
	*exec.Image
	yielded yielded
	free    uint64
}

// Image copies the state of a machine that waits for the host's next call, into the memory of over
// if that is not nil. It returns false if the state cannot be kept.
func (m *Machine) Image(over exec.Waiting) (exec.Waiting, bool) {
	if m.trace != nil || m.ops != nil || m.hits != nil || m.tallies {
		return nil, false
	}
	used := uintptr(0)
	if s := m.Stack(0); s != nil {
		m.save(s)
		fc, _ := m.at(m.pc)
		if fc == nil {
			return nil, false
		}
		used = s.FP + fc.Need()
	}
	w, _ := over.(*waiting)
	if w == nil {
		w = &waiting{}
	}
	core, ok := m.Core.Image(w.Image, used)
	*w = waiting{core, m.yielded, m.freeInstructions}
	return w, ok
}

// WithState returns w with a state, see [exec.Core.WithState].
func (m *Machine) WithState(w exec.Waiting, b []byte) (exec.Waiting, error) {
	i := *w.(*waiting)
	var err error
	i.Image, err = m.Core.WithState(i.Image, b)
	return &i, err
}

// Resume puts the machine, which has not run, into the waiting state w.
func (m *Machine) Resume(w exec.Waiting) {
	i := w.(*waiting)
	m.load(m.Core.Resume(i.Image))
	m.yielded, m.freeInstructions = i.yielded, i.free
}
