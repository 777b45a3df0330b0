package interp

import (
	"slices"
	"unsafe"

	"github.com/gyrvm/gyr/internal/bytecode"
	"github.com/gyrvm/gyr/internal/memory"
	"github.com/gyrvm/gyr/internal/rt"
)

// Locals whose address is taken stand in the shadow stack: a chain of chunks
// in linear memory, 1 KiB first, each twice as large as the one before. A
// function with locals pushes its shadow frame at entry and keeps two slots: the
// frame's address, and where the shadow stack ended before. The two differ when the
// frame began a new chunk: the second is odd then, since the new chunk may lie
// right behind the old one.

type heapT = memory.Heap

type chunk struct {
	addr, size uint32
	lastLimit  uint32 // slim before this chunk was entered
}

const (
	firstChunk = 1 << 10
	maxChunk   = 1 << 20

	newChunk = 1 // in a frame's second slot
)

// pushChunk is the slow path of EnterLocals: size bytes do not fit the chunk.
func (m *Machine) pushChunk(size uint32, slots *[2]uint64) rt.Status {
	s := m.stacks[m.cur]
	slots[0] = 0 // the collector must not look at the locals yet
	c := s.spare
	s.spare = chunk{}
	if c.addr != 0 && c.size < size {
		m.heap.FreeChunk(c.addr)
		c = chunk{}
	}
	if c.addr == 0 {
		n := uint32(firstChunk)
		if k := len(s.chunks); k > 0 {
			n = min(s.chunks[k-1].size*2, maxChunk)
		}
		n = max(n, size)
		n = (n + firstChunk - 1) &^ (firstChunk - 1)
		for i := 0; ; i++ {
			addr, st := m.heap.AllocChunk(n)
			if st == memory.StatusOK {
				c = chunk{addr: addr, size: n}
				break
			}
			if st != memory.StatusCollect || i == 2 {
				return m.heapStatus(st)
			}
			if st := m.vm.Collect(); st != rt.OK {
				return st
			}
		}
	}
	c.lastLimit = m.slim
	s.chunks = append(s.chunks, c)
	slots[0], slots[1] = uint64(c.addr), uint64(m.ssp)|newChunk
	m.ssp, m.slim = c.addr+size, c.addr+c.size
	return rt.OK
}

// popChunk is the slow path of LeaveLocals: the frame began the last chunk. Its
// second slot is ssp.
func (m *Machine) popChunk(ssp uint32) rt.Status {
	s := m.stacks[m.cur]
	if len(s.chunks) == 0 {
		return m.fail("run", rt.ErrCorrupt)
	}
	c := s.chunks[len(s.chunks)-1]
	s.chunks = s.chunks[:len(s.chunks)-1]
	m.ssp, m.slim = ssp&^newChunk, c.lastLimit
	if s.spare.addr != 0 {
		m.heap.FreeChunk(s.spare.addr)
	}
	s.spare = c
	return rt.OK
}

func (m *Machine) heapStatus(st memory.Status) rt.Status {
	switch st {
	case memory.StatusOK:
		return rt.OK
	case memory.StatusLimit, memory.StatusCollect:
		return rt.OutOfMemory
	case memory.StatusHost:
		return m.fail("stack", m.heap.Err())
	}
	return m.fail("stack", rt.ErrCorrupt)
}

// A shadowFrame is a frame of the shadow stack during a collection.
type shadowFrame struct {
	addr  uint32
	first uint32 // number of its first local with pointers among those of all frames
	fc    *bytecode.FuncCode
}

// shadowState is what a collection knows about locals. A local is an object of
// its own: it is followed when it is live where its frame stands, and as a whole
// when the collector meets a pointer to it.
type shadowState struct {
	shadow []shadowFrame
	sorted bool     // by address
	marked []uint64 // a bit for each local that was followed as a whole
}

// MarkLocals implements rt.Exec.
func (m *Machine) MarkLocals() bool {
	any := false
	for {
		addr, ok := m.heap.NextChunkPtr()
		if !ok {
			return any
		}
		any = true
		if !m.sorted {
			slices.SortFunc(m.shadow, func(a, b shadowFrame) int { return int(a.addr) - int(b.addr) })
			m.sorted = true
		}
		m.markLocal(addr)
	}
}

// markLocal marks what the local leads to that contains addr, if one does.
func (m *Machine) markLocal(addr uint32) {
	i, ok := slices.BinarySearchFunc(m.shadow, addr, func(f shadowFrame, a uint32) int { return int(f.addr) - int(a) })
	if !ok {
		if i--; i < 0 {
			return
		}
	}
	f := &m.shadow[i]
	off := addr - f.addr
	k, ok := slices.BinarySearchFunc(f.fc.Locals, off, func(l bytecode.LocalSpan, o uint32) int { return int(l.Off) - int(o) })
	if !ok {
		if k--; k < 0 {
			return
		}
	}
	l := &f.fc.Locals[k]
	if off >= l.End {
		return
	}
	n := f.first + uint32(k)
	if m.marked[n/64]>>(n%64)&1 == 0 {
		m.marked[n/64] |= 1 << (n % 64)
		m.markLocals(f.fc, f.addr, l.Ptrs)
	}
}

func (m *Machine) markLocals(fc *bytecode.FuncCode, locals uint32, r bytecode.LocalRun) {
	for _, off := range fc.LocalPtrs[r.From:r.To] {
		m.heap.MarkPtr(*(*uint32)(unsafe.Add(m.base, uint64(locals)+uint64(off))))
	}
}
