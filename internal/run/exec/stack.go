package exec

import (
	"errors"

	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A Stack is an execution stack. Its slots are memory of the host that no guest address reaches.
//
// The limits count guest units, the sizes of frames after phase A (ir.Func.Frame). Units are
// charged some frames ahead. The stack limit counts whole frames. The memory limit leaves out
// locals: their chunks are blocks of the heap and count there. Some stacks need many more slots
// than were counted, in unusual functions or when the chunks are gone again. These slots belong to
// the host (beyond): they count in no figure, and a run with too many of them ends with an error of
// the host.
//
// The fields that a switch needs come first, in one cache line. With thousands of goroutines a
// switch waits for that line.
type Stack struct {
	// Registers of the tier while the stack is suspended.
	PC    uintptr // resume address
	FP    uintptr // innermost frame, in bytes from the end of Mem that growth leaves in place
	Depth int64   // guest units that frames may still take of those charged

	ssp, slim uint32
	g         uint32
	state     stackStatus
	started   bool
	stackPiece

	fn      uint32  // closure that the stack will call; a root until it runs
	chunks  []chunk // of the shadow stack, the current one last
	spare   chunk   // kept so that calls around the end of a chunk do not allocate
	charged int64   // guest units of frames that may be used before more are counted
	counted int64   // how many of them count against the memory limit
	beyond  int64   // bytes of slots that count in addition
	locals  int64   // bytes of chunks
}

type stackStatus uint8

const (
	stackFree stackStatus = iota
	stackReady
	stackRunning
)

// stackState is the machine's table of stacks.
type stackState struct {
	stacks     []*Stack // by number; 0 is nil
	block      []Stack  // stacks without a number yet
	free       []uint32
	slots      stackMemory
	down       bool
	cur        uint32
	next       uint32 // named by SwitchTo
	guestLimit int64  // the guest's stack limit
	walk       walk
}

const (
	// FirstSlots is the size of a new stack, in slots of 8 bytes.
	FirstSlots = 1024 / 8

	// Frames are charged in steps of an eighth of the units in use, at least stepGuest.
	stepGuest = 2048
)

// AddStack makes a stack for a closure, or for the program's start if fn is 0. Its frames have room
// for memory.UnitFirst guest units (Depth). The tier sets the other registers and what the stack
// begins with: its memory is not zeroed.
func (m *Core) AddStack(fn uint32) (id uint32, st rt.Status) {
	if st := m.VM.Charge(memory.UnitStack + memory.UnitFirst); st != rt.OK {
		return 0, st
	}
	m.Heap.CountFrames(memory.UnitStack + memory.UnitFirst)
	if n := len(m.free); n > 0 {
		id = m.free[n-1]
		m.free = m.free[:n-1]
	} else {
		id = uint32(len(m.stacks))
		m.stacks = append(m.stacks, m.newStack())
	}
	m.countStacks()
	s := m.stacks[id]
	*s = Stack{stackPiece: m.slots.get(FirstSlots), chunks: s.chunks[:0], state: stackReady, fn: fn,
		Depth: memory.UnitFirst, charged: memory.UnitFirst, counted: memory.UnitFirst}
	return id, rt.OK
}

// stackBlock is how many stacks are allocated together: goroutines that start one after the other
// often run one after the other. Programs with one or two goroutines need only firstBlock.
const (
	stackBlock = 32
	firstBlock = 2
)

func (m *Core) newStack() *Stack {
	if len(m.block) == 0 {
		n := stackBlock
		if len(m.stacks) <= 1 {
			n = firstBlock
		}
		m.block = make([]Stack, n)
	}
	s := &m.block[0]
	m.block = m.block[1:]
	return s
}

// Stack returns the stack with a number (0: the current one), or nil.
func (m *Core) Stack(id uint32) *Stack {
	if id == 0 {
		id = m.cur
	}
	if id == 0 || id >= uint32(len(m.stacks)) || m.stacks[id].state == stackFree {
		return nil
	}
	return m.stacks[id]
}

// FreeStack implements rt.Exec.
func (m *Core) FreeStack(id uint32) {
	if id == 0 || id >= uint32(len(m.stacks)) || m.stacks[id].state != stackReady {
		return
	}
	s := m.stacks[id]
	m.slots.put(s.stackPiece)
	for _, c := range s.chunks {
		m.VM.Heap.FreeChunk(c.addr)
	}
	if s.spare.addr != 0 {
		m.VM.Heap.FreeChunk(s.spare.addr)
	}
	m.Heap.ChargeHost(-(memory.UnitStack + s.counted))
	m.Heap.CountBeyond(-s.beyond)
	m.Heap.CountFrames(-(memory.UnitStack + s.counted))
	*s = Stack{chunks: s.chunks[:0]}
	m.free = append(m.free, id)
	m.countStacks()
}

// countStacks tells the VM the number of stacks.
func (m *Core) countStacks() { m.VM.Stacks = len(m.stacks) - 1 - len(m.free) }

// FreeStacks frees all execution stacks, after a run. The machine cannot resume.
func (m *Core) FreeStacks() {
	for id := range m.stacks {
		if s := m.stacks[id]; s != nil && s.state != stackFree {
			s.state = stackReady
			m.FreeStack(uint32(id))
		}
	}
	m.cur = 0
}

// releaseKeep is the length up to which lists of stacks and of regions are kept for the next
// instance.
const releaseKeep = 64

// Release implements rt.Exec.
func (m *Core) Release() {
	for _, s := range m.stacks {
		if s != nil && s.region < 0 {
			s.pages.Free()
		}
	}
	m.slots.release()
	clear(m.stacks)
	m.stacks, m.free = m.stacks[:0], m.free[:0]
	if cap(m.stacks) > releaseKeep {
		m.stacks, m.free = nil, nil
	}
	m.shadow.Free()
	m.marked.Free()
	m.runs.Free()
}

// SwitchTo implements rt.Exec.
func (m *Core) SwitchTo(id uint32) bool {
	if id == 0 || id >= uint32(len(m.stacks)) || m.stacks[id].state == stackFree {
		return false
	}
	m.next = id
	return true
}

// CurStack implements rt.Exec.
func (m *Core) CurStack() uint32 { return m.cur }

// G implements rt.Exec.
func (m *Core) G() uint32 { return m.stacks[m.cur].g }

// SetG implements rt.Exec. The runtime calls it when another goroutine begins on the current stack.
// A new quantum starts, so that a short goroutine is not preempted, perhaps while it holds a lock,
// for what goroutines before it used.
func (m *Core) SetG(g uint32) {
	m.stacks[m.cur].g = g
	m.startQuantum()
}

// Select makes a stack the current one, in a machine that has none.
func (m *Core) Select(id uint32) *Stack {
	s := m.stacks[id]
	m.cur = id
	s.state = stackRunning
	m.SSP, m.SLim = s.ssp, s.slim
	m.chunksMoved = true
	return s
}

// Switch makes the stack that SwitchTo named the current one and starts its quantum. The tier saves
// its registers in from and loads those of to, unless the two are the same.
func (m *Core) Switch() (from, to *Stack) {
	from = m.stacks[m.cur]
	to = from
	if m.next != m.cur {
		from.ssp, from.slim = m.SSP, m.SLim
		from.state = stackReady
		to = m.Select(m.next)
		if !to.started {
			to.started, to.fn = true, 0
		}
	}
	m.startQuantum()
	return from, to
}

var errBeyond = errors.New("the slots of the stacks take far more memory of the host than their frames count for")

// GrowStack makes the current stack at least n bytes large. Its memory may move, even if the status
// is not OK. The contents keep their distance from its start, or from its end if stacks grow down.
func (m *Core) GrowStack(n uintptr) rt.Status {
	s := m.stacks[m.cur]
	m.slots.grow(&s.stackPiece, int(n+7)/8, m.down)
	// Frames that grow down are padded to their size in guest units. Locals count
	// elsewhere, and padding is untouched address space.
	counted := s.counted
	if m.down {
		counted = max(counted, s.charged)
	}
	if beyond := int64(n) - (counted + counted/2 + 2*stepGuest) - s.beyond; beyond > 0 {
		beyond *= 2 // room for the next growth
		if !m.Heap.CountBeyond(beyond) {
			return m.Fail("stack", errBeyond)
		}
		s.beyond += beyond
	}
	return rt.OK
}

// GrowFrames is called when the frames of the current stack take more guest units than were
// charged. It returns how many they may take from now on.
func (m *Core) GrowFrames(used int64) (charged int64, st rt.Status) {
	s := m.stacks[m.cur]
	if used > m.guestLimit {
		return s.charged, rt.StackLimit
	}
	n := min(used+max(used/8, stepGuest), m.guestLimit)
	if more := n - s.locals - s.counted; more > 0 {
		if st := m.VM.Charge(more); st != rt.OK {
			return s.charged, st
		}
		s.counted += more
		m.Heap.CountFrames(more)
	}
	s.charged = n
	return n, rt.OK
}

// Charged returns how many guest units the frames of the stack may take before a call of
// GrowFrames.
func (s *Stack) Charged() int64 { return s.charged }
