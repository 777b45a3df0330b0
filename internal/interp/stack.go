package interp

import (
	"unsafe"

	"github.com/gyrvm/gyr/internal/rt"
)

// A stack is an execution stack. Its slots are Go memory without pointers in
// Go's sense, never reachable by guest addresses.
type stack struct {
	mem   []uint64
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
	charged int64  // guest units of stack that are counted against the memory limit
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
	pool       [40][][]uint64 // slots by log2 of the length
	cur        uint32
	next       uint32 // named by SwitchTo
	guestLimit int64  // the guest's stack limit
}

const (
	firstSlots = 2048 / 8
	firstGuest = 2048 // guest units counted when a stack is made
)

func log2(n int) int {
	k := 0
	for 1<<k < n {
		k++
	}
	return k
}

// slots returns stack memory of 1<<k slots.
func (s *stackState) getSlots(n int) []uint64 {
	k := log2(n)
	if p := s.pool[k]; len(p) > 0 {
		x := p[len(p)-1]
		s.pool[k] = p[:len(p)-1]
		return x
	}
	return make([]uint64, 1<<k)
}

func (s *stackState) putSlots(x []uint64) {
	k := log2(len(x))
	if len(s.pool[k]) < 64 || k <= 10 {
		s.pool[k] = append(s.pool[k], x)
	}
}

// start makes the first stack and selects it.
func (m *Machine) start() rt.Status {
	m.guestLimit = int64(m.vm.Config.Stack)
	if m.guestLimit == 0 {
		m.guestLimit = rt.DefaultStack
	}
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
	if st := m.vm.Charge(firstGuest); st != rt.OK {
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
	s := m.stacks[id]
	*s = stack{mem: m.getSlots(firstSlots), chunks: s.chunks[:0], state: stackReady, depth: firstGuest, charged: firstGuest}
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
	m.putSlots(s.mem)
	for _, c := range s.chunks {
		m.vm.Heap.FreeChunk(c.addr)
	}
	if s.spare.addr != 0 {
		m.vm.Heap.FreeChunk(s.spare.addr)
	}
	m.vm.Heap.ChargeHost(-s.charged)
	*s = stack{chunks: s.chunks[:0]}
	m.free = append(m.free, id)
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

// growStack makes room for need bytes at m.fp by copying the stack.
func (m *Machine) growStack(need uintptr) rt.Status {
	s := m.stacks[m.cur]
	at := m.fp - m.low
	n := len(s.mem) * 2
	for uintptr(n)*8 < at+need {
		n *= 2
	}
	mem := m.getSlots(n)
	// The callee's arguments lie above fp, within what it needs.
	copy(mem, s.mem)
	m.putSlots(s.mem)
	s.mem = mem
	m.low = uintptr(unsafe.Pointer(&mem[0]))
	m.slimit = m.low + uintptr(len(mem))*8
	m.fp = m.low + at
	return rt.OK
}

// growGuest is called when the guest's frames take more than was counted.
func (m *Machine) growGuest() rt.Status {
	s := m.stacks[m.cur]
	used := s.charged - m.depth
	if used > m.guestLimit {
		return rt.StackLimit
	}
	n := s.charged
	for n < used {
		n *= 2
	}
	n = min(n, m.guestLimit)
	if st := m.vm.Charge(n - s.charged); st != rt.OK {
		return st
	}
	m.depth += n - s.charged
	s.charged = n
	return rt.OK
}
