package exec

import (
	"cmp"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// Locals whose address is taken live in the shadow stack: a chain of chunks in linear memory, 1 KiB
// first, each twice as large as the one before. A function with locals pushes its shadow frame at
// entry and keeps two slots: the frame's address, and the previous end of the shadow stack. The two
// are equal unless the frame began a new chunk. Then the second is odd, because the new chunk may
// directly follow the old one.

// NewChunk is set in a frame's second slot when the frame began a chunk.
const NewChunk = 1

type chunk struct {
	addr, size uint32
	lastLimit  uint32 // slim before this chunk was entered
}

const (
	firstChunk = 1 << 10
	maxChunk   = 1 << 20
)

// PushChunk is the slow path of a function's entry: its shadow frame of size bytes does
// not fit the chunk. It sets the frame's two slots.
func (m *Core) PushChunk(size uint32, slots *[2]uint64) rt.Status {
	s := m.stacks[m.cur]
	slots[0] = 0 // the collector must not read the locals yet
	c := s.spare
	s.spare = chunk{}
	if c.addr != 0 && c.size < size {
		m.Heap.FreeChunk(c.addr)
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
			addr, st := m.Heap.AllocChunk(n)
			if st == memory.StatusOK {
				c = chunk{addr: addr, size: n}
				break
			}
			if st != memory.StatusCollect || i == 2 {
				return m.VM.HeapStatus("stack", st)
			}
			if st := m.VM.Collect(); st != rt.OK {
				return st
			}
		}
	}
	slots[0], slots[1] = uint64(c.addr), uint64(m.SSP)|NewChunk
	s.enter(c, m.SLim)
	m.SSP, m.SLim = c.addr+size, c.addr+c.size
	m.chunksMoved = true
	return rt.OK
}

// enter appends a chunk; limit is the end of the one before.
func (s *Stack) enter(c chunk, limit uint32) {
	c.lastLimit = limit
	s.chunks = append(s.chunks, c)
	s.locals += int64(c.size)
}

// leave removes the last chunk.
func (s *Stack) leave() chunk {
	c := s.chunks[len(s.chunks)-1]
	s.chunks = s.chunks[:len(s.chunks)-1]
	s.locals -= int64(c.size)
	return c
}

// PopChunk is the slow path of a return from a frame that began the last chunk. ssp is the frame's
// second slot.
func (m *Core) PopChunk(ssp uint32) rt.Status {
	s := m.stacks[m.cur]
	if len(s.chunks) == 0 {
		return m.Fail("run", memory.ErrCorrupt)
	}
	c := s.leave()
	m.SSP, m.SLim = ssp&^NewChunk, c.lastLimit
	if s.spare.addr != 0 {
		m.Heap.FreeChunk(s.spare.addr)
	}
	s.spare = c
	m.chunksMoved = true
	return rt.OK
}

// Guest code that calls around the end of a chunk may do itself what needs no allocation: enter the
// spare chunk, and make the last chunk the spare if there is none. A tier with such code reports
// what it did by EnteredSpare and LeftChunk, before it takes over SSP and SLim. So the code is at
// most one step away from the last view.

// A ChunkView is what such code needs to know.
type ChunkView struct {
	Spare, SpareEnd uint32 // 0: none
	Last, Before    uint32 // start of the last chunk, 0 if there is none; end of the one before
}

// Chunks returns the view. It is false if the view has not changed since the last call.
func (m *Core) Chunks() (v ChunkView, changed bool) {
	if !m.chunksMoved {
		return v, false
	}
	m.chunksMoved = false
	s := m.stacks[m.cur]
	if c := s.spare; c.addr != 0 {
		v.Spare, v.SpareEnd = c.addr, c.addr+c.size
	}
	if n := len(s.chunks); n > 0 {
		v.Last, v.Before = s.chunks[n-1].addr, s.chunks[n-1].lastLimit
	}
	return v, true
}

// EnteredSpare and LeftChunk report what code has done since Chunks.
func (m *Core) EnteredSpare() {
	s := m.stacks[m.cur]
	s.enter(s.spare, m.SLim)
	s.spare = chunk{}
	m.chunksMoved = true
}

func (m *Core) LeftChunk() {
	s := m.stacks[m.cur]
	s.spare = s.leave()
	m.chunksMoved = true
}

// DropLocals removes the shadow frame of a frame that is being unwound, innermost first. slots are
// that frame's two slots.
func (m *Core) DropLocals(slots *[2]uint64) rt.Status {
	if slots[0] != slots[1] && len(m.stacks[m.cur].chunks) > 0 {
		return m.PopChunk(uint32(slots[1]))
	}
	m.SSP = uint32(slots[1]) &^ NewChunk
	return rt.OK
}

// A shadowFrame is a frame of the shadow stack during a collection.
type shadowFrame struct {
	addr  uint32
	first uint32 // index of its first local with pointers, among those of all frames
	fn    int32  // function
}

// A shadowRun is the frames of one chunk. A walk finds them in a row, from the highest address
// down.
type shadowRun struct {
	chunk    uint32 // start of the chunk; the chunk's tag is the index of the run
	from, to uint32 // in shadow
}

// shadowState is what a collection knows about locals. A local is an object of its own. The
// collector follows it if it is live where its frame stands, and follows all of it when it meets a
// pointer to it.
type shadowState struct {
	shadow memory.Vec[shadowFrame]
	runs   memory.Vec[shadowRun]
	marked memory.Vec[uint64] // a bit for each local that was followed as a whole
	spans  uint32             // locals with pointers in all frames so far
	follow int                // pointers followed since the last poll
	left   int                // frames until the next poll

	chunksMoved bool // since the last call of Chunks
}

// shadowKeep is the size up to which these buffers are kept between collections.
const shadowKeep = 256 << 10

// addShadow records a frame that a walk found.
func (m *Core) addShadow(f shadowFrame) {
	chunk, ok := m.Heap.ChunkOf(f.addr)
	if !ok {
		return
	}
	at := uint32(len(m.shadow.List))
	m.shadow.Append(f)
	if n := len(m.runs.List); n > 0 && m.runs.List[n-1].chunk == chunk {
		m.runs.List[n-1].to = at + 1
		return
	}
	m.Heap.TagChunk(chunk, uint32(len(m.runs.List)))
	m.runs.Append(shadowRun{chunk, at, at + 1})
}

// MarkLocals implements rt.Exec.
func (m *Core) MarkLocals() (any bool, st rt.Status) {
	for {
		addr, ok := m.Heap.NextChunkPtr()
		if !ok {
			return any, rt.OK
		}
		any = true
		if st := m.markLocal(addr); st != rt.OK {
			return any, st
		}
		if st := m.followed(1); st != rt.OK {
			return any, st
		}
	}
}

// markLocal marks what the local that contains addr leads to, if there is such a local.
func (m *Core) markLocal(addr uint32) rt.Status {
	chunk, ok := m.Heap.ChunkOf(addr)
	if !ok {
		return rt.OK
	}
	tag := m.Heap.TagOf(chunk)
	if tag >= uint32(len(m.runs.List)) || m.runs.List[tag].chunk != chunk {
		return rt.OK // no frame with pointers in this chunk
	}
	r := &m.runs.List[tag]
	frames := m.shadow.List[r.from:r.to]
	i, _ := slices.BinarySearchFunc(frames, addr, func(f shadowFrame, a uint32) int { return cmp.Compare(a, f.addr) })
	if i == len(frames) {
		return rt.OK
	}
	f := &frames[i]
	t := m.tier.Locals(f.fn)
	if t == nil {
		return rt.OK
	}
	off := addr - f.addr
	k, ok := slices.BinarySearchFunc(t.Spans, off, func(l ir.LocalSpan, o uint32) int { return int(l.Off) - int(o) })
	if !ok {
		if k--; k < 0 {
			return rt.OK
		}
	}
	l := &t.Spans[k]
	if off >= l.End {
		return rt.OK
	}
	n := f.first + uint32(k)
	if m.marked.List[n/64]>>(n%64)&1 != 0 {
		return rt.OK
	}
	m.marked.List[n/64] |= 1 << (n % 64)
	return m.markPointers(t, f.addr, l.Ptrs)
}

// MarkFrameLocals marks what the live locals of a frame lead to, and records where the locals are.
// locals is the frame's first slot, fn its function, t that function's table, and runs the live
// part of the table. Frames of a stack come innermost first.
func (m *Core) MarkFrameLocals(locals uint32, fn int32, t *ir.LocalTable, runs []ir.LocalRun) rt.Status {
	if locals == 0 || len(t.Ptrs) == 0 {
		return rt.OK
	}
	m.addShadow(shadowFrame{addr: locals, first: m.spans, fn: fn})
	for _, r := range runs {
		if st := m.markPointers(t, locals, r); st != rt.OK {
			return st
		}
	}
	m.spans += uint32(len(t.Spans))
	return rt.OK
}

func (m *Core) markPointers(t *ir.LocalTable, locals uint32, r ir.LocalRun) rt.Status {
	frame := unsafe.Add(m.Base, uint64(locals))
	for i := range t.Ptrs[r.From:r.To] {
		p := &t.Ptrs[int(r.From)+i]
		at := unsafe.Add(frame, uint64(p.Off))
		if p.Words == 0 {
			m.Heap.MarkPtr(*(*uint32)(at))
			continue
		}
		for k, mask := range t.Masks[p.Mask : p.Mask+p.Words] {
			for x := mask; x != 0; x &= x - 1 {
				m.Heap.MarkPtr(*(*uint32)(unsafe.Add(at, k*512+bits.TrailingZeros64(x)*8)))
			}
			if st := m.followed(bits.OnesCount64(mask)); st != rt.OK {
				return st
			}
		}
	}
	return m.followed(int(r.To - r.From))
}

// followed counts n pointers as followed. It polls after many.
func (m *Core) followed(n int) rt.Status {
	if m.follow += n; m.follow < walkStep {
		return rt.OK
	}
	m.follow = 0
	return m.VM.Poll()
}
