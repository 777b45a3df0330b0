package interp

import (
	"unsafe"

	"github.com/gyrvm/gyr/internal/memory"
	"github.com/gyrvm/gyr/internal/rt"
)

// A stack is an execution stack. Its slots are memory of the host that no guest
// address leads to.
//
// What counts against the limits are guest units, the sizes of frames as phase A
// left their functions (ir.Func.Frame). They are charged some frames ahead. The
// stack limit counts whole frames, the memory limit leaves the locals out, whose
// chunks are blocks of the heap and count as such. Slots that need much more than
// was counted, in functions that are far from usual or when the chunks are gone
// again, count by themselves (beyond).
type stack struct {
	stackPiece
	state stackStatus

	// Registers while the stack does not run.
	pc    uintptr
	fp    uintptr // distance from the start in bytes
	depth int64

	ssp, slim uint32
	chunks    []chunk // of the shadow stack, the current one last
	spare     chunk   // kept to not allocate at every call around the end of a chunk

	g       uint32
	fn      uint32 // closure that the stack will call; a root until it runs
	charged int64  // guest units of frames that may be used before more are counted
	counted int64  // how many of them count against the memory limit
	beyond  int64  // bytes of slots that count besides
	locals  int64  // bytes of chunks
}

type stackStatus uint8

const (
	stackFree stackStatus = iota
	stackReady
	stackRunning
)

// stackState is what the machine keeps about stacks.
type stackState struct {
	stacks     []*stack // by number; 0 is nil
	free       []uint32
	slots      stackMemory
	cur        uint32
	next       uint32 // named by SwitchTo
	guestLimit int64  // the guest's stack limit
	walk       walk
}

const (
	firstSlots = 2048 / 8

	// Frames are charged in steps of an eighth of what the stack has, at least stepGuest.
	stepGuest = 2048
)

// start makes the first stack and selects it.
func (m *Machine) start() rt.Status {
	m.guestLimit = int64(min(m.vm.StackLimit(), 1<<40))
	if len(m.stacks) == 0 {
		m.stacks = append(m.stacks, nil)
	}
	id, st := m.newStack()
	if st != rt.OK {
		return st
	}
	main, _ := m.prog.Boot()
	m.stacks[id].pc = uintptr(main)
	m.load(id)
	return rt.OK
}

func (m *Machine) newStack() (uint32, rt.Status) {
	if st := m.vm.Charge(memory.UnitStack + memory.UnitFirst); st != rt.OK {
		return 0, st
	}
	var id uint32
	if n := len(m.free); n > 0 {
		id = m.free[n-1]
		m.free = m.free[:n-1]
	} else {
		id = uint32(len(m.stacks))
		m.stacks = append(m.stacks, &stack{})
	}
	if m.trace != nil {
		m.trace.forget(id)
	}
	s := m.stacks[id]
	*s = stack{stackPiece: m.slots.get(firstSlots), chunks: s.chunks[:0], state: stackReady, depth: memory.UnitFirst, charged: memory.UnitFirst, counted: memory.UnitFirst}
	s.mem[0] = 0
	return id, rt.OK
}

// NewStack implements rt.Exec.
func (m *Machine) NewStack(fn uint32) (uint32, rt.Status) {
	id, st := m.newStack()
	if st != rt.OK {
		return 0, st
	}
	s := m.stacks[id]
	_, boot := m.prog.Boot()
	s.pc = uintptr(boot)
	s.fn = fn
	s.mem[2] = uint64(fn)
	return id, rt.OK
}

// FreeStack implements rt.Exec.
func (m *Machine) FreeStack(id uint32) {
	if id == 0 || id >= uint32(len(m.stacks)) || m.stacks[id].state != stackReady {
		return
	}
	s := m.stacks[id]
	m.slots.put(s.stackPiece)
	for _, c := range s.chunks {
		m.vm.Heap.FreeChunk(c.addr)
	}
	if s.spare.addr != 0 {
		m.vm.Heap.FreeChunk(s.spare.addr)
	}
	m.vm.Heap.ChargeHost(-(memory.UnitStack + s.counted + s.beyond))
	*s = stack{chunks: s.chunks[:0]}
	m.free = append(m.free, id)
}

// FreeStacks frees all execution stacks, after a run. The machine can't go on.
func (m *Machine) FreeStacks() {
	for id := range m.stacks {
		if s := m.stacks[id]; s != nil && s.state != stackFree {
			s.state = stackReady
			m.FreeStack(uint32(id))
		}
	}
	m.cur = 0
}

// Release implements rt.Exec.
func (m *Machine) Release() {
	for _, s := range m.stacks {
		if s != nil && s.region < 0 {
			s.pages.Free()
		}
	}
	m.slots.release()
	m.stacks, m.free = nil, nil
	m.shadow.Free()
	m.marked.Free()
	m.runs.Free()
}

// SwitchTo implements rt.Exec.
func (m *Machine) SwitchTo(id uint32) bool {
	if id == 0 || id >= uint32(len(m.stacks)) || m.stacks[id].state == stackFree {
		return false
	}
	m.next = id
	return true
}

// CurStack implements rt.Exec.
func (m *Machine) CurStack() uint32 { return m.cur }

// G implements rt.Exec.
func (m *Machine) G() uint32 { return m.stacks[m.cur].g }

// SetG implements rt.Exec.
func (m *Machine) SetG(g uint32) { m.stacks[m.cur].g = g }

// save puts the registers away that belong to the current stack.
func (m *Machine) save() {
	s := m.stacks[m.cur]
	s.pc, s.fp, s.depth, s.ssp, s.slim = m.pc, m.fp-m.low, m.depth, m.ssp, m.slim
	s.state = stackReady
}

// load makes a stack the current one.
func (m *Machine) load(id uint32) {
	s := m.stacks[id]
	m.cur = id
	s.state = stackRunning
	m.low = uintptr(unsafe.Pointer(&s.mem[0]))
	m.slimit = m.low + uintptr(len(s.mem))*8
	m.pc, m.fp, m.depth, m.ssp, m.slim = s.pc, m.low+s.fp, s.depth, s.ssp, s.slim
}

// switchStack goes on with the stack that SwitchTo named. The quantum starts anew.
func (m *Machine) switchStack() {
	if m.next != m.cur {
		m.save()
		m.load(m.next)
		m.stacks[m.cur].fn = 0
	}
	m.qstart = m.usedUnits()
	m.setGas()
}

// growStack makes room for need bytes at m.fp.
func (m *Machine) growStack(need uintptr) rt.Status {
	s := m.stacks[m.cur]
	at := m.fp - m.low
	// The callee's arguments lie above fp, within what it needs.
	m.slots.grow(&s.stackPiece, int(at+need+7)/8)
	m.low = uintptr(unsafe.Pointer(&s.mem[0]))
	m.slimit = m.low + uintptr(len(s.mem))*8
	m.fp = m.low + at
	if beyond := int64(at+need) - (s.counted + s.counted/2 + 2*stepGuest) - s.beyond; beyond > 0 {
		beyond *= 2 // so much may be there when it grows next
		if st := m.vm.Charge(beyond); st != rt.OK {
			return st
		}
		s.beyond += beyond
	}
	return rt.OK
}

// growGuest is called when the guest's frames take more than was counted.
func (m *Machine) growGuest() rt.Status {
	s := m.stacks[m.cur]
	used := s.charged - m.depth
	if used > m.guestLimit {
		return rt.StackLimit
	}
	n := min(used+max(used/8, stepGuest), m.guestLimit)
	if more := n - s.locals - s.counted; more > 0 {
		if st := m.vm.Charge(more); st != rt.OK {
			return st
		}
		s.counted += more
	}
	m.depth += n - s.charged
	s.charged = n
	return rt.OK
}
