package exec

import (
	"math/bits"
	"slices"

	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// An Image is a machine that waits in [rt.Yield], for others of the same module and the same tier to go on from: its
// execution stacks and its gas. It holds addresses of the module's code, and no address of the instance. It is immutable and safe
// for concurrent use. What becomes of each field of Core is in the list that TestFuture of package engine reads.
type Image struct {
	stacks     []stackImage // by number; 0 is unused
	free       []uint32
	cur        uint32
	guestLimit int64

	yielder uint32

	used, freeUnits, qstart, poolAt int64
	crowded                         bool
}

// Waiting is the state of a machine that waits in [rt.Yield], as a tier keeps it. It is immutable.
type Waiting interface {
	Units() int64 // gas used
	AppendState(b []byte) []byte
	Holds() (chunks []memory.Chunk, host int64)
}

// A stackImage is a stack and what its memory holds. Frames name each other by distances, so they may lie anywhere.
type stackImage struct {
	Stack
	mem []uint64
}

const (
	// maxImage is the most slots of all stacks together that an image holds.
	maxImage = 1 << 16
	// wholeStack is how many slots of the current stack it holds at least, if there are so many. Of one that a deep recursion has made
	// larger it holds no more than twice what is used.
	wholeStack = 1 << 10
)

// Image copies the machine's state, whose tier has put the registers of the current stack away in it, of which so many bytes are in
// use. It reports false if the state cannot be kept. The memory of an image that nobody needs any more may be used again; nil: there is none.
func (m *Core) Image(over *Image, used uintptr) (*Image, bool) {
	if m.status != rt.Yield || m.stopped || m.pays || m.CPU != nil || m.cur == 0 {
		return nil, false
	}
	i := over
	if i == nil {
		i = &Image{}
	}
	for len(i.stacks) < len(m.stacks) {
		i.stacks = append(i.stacks, stackImage{})
	}
	*i = Image{stacks: i.stacks[:len(m.stacks)], free: append(i.free[:0], m.free...), cur: m.cur, guestLimit: m.guestLimit, yielder: m.yielder,
		used: m.UsedUnits(), freeUnits: m.freeUnits, qstart: m.qstart, poolAt: m.poolAt, crowded: m.crowded}
	slots := 0
	for n, s := range m.stacks {
		k := &i.stacks[n]
		if s == nil || s.state == stackFree {
			*k = stackImage{mem: k.mem[:0]}
			continue
		}
		mem := s.Mem
		if keep := max(wholeStack, 1<<bits.Len(uint(used/8))); uint32(n) == m.cur && keep < len(mem) {
			if mem = mem[:keep]; m.down {
				mem = s.Mem[len(s.Mem)-keep:]
			}
		}
		if slots += len(mem); slots > maxImage {
			return nil, false
		}
		chunks := append(k.chunks[:0], s.chunks...)
		k.Stack, k.mem = *s, append(k.mem[:0], mem...)
		k.chunks, k.stackPiece = chunks, stackPiece{}
	}
	c := &i.stacks[i.cur]
	c.ssp, c.slim = m.SSP, m.SLim
	return i, true
}

// Other returns the number of an execution stack that is not the current one; 0: there is no goroutine but the one that waits.
func (m *Core) Other() uint32 {
	if m.VM.Stacks == 1 {
		return 0
	}
	for id, s := range m.stacks {
		if s != nil && s.state != stackFree && uint32(id) != m.cur {
			return uint32(id)
		}
	}
	return 0
}

// Units returns the gas that the machine had used, the free units not among them.
func (i *Image) Units() int64 { return i.used - i.freeUnits }

// Resume makes the machine, which has not run, one that waits as that of the image did; the heap is that of the image
// already. It returns the current stack, whose registers the tier takes over.
func (m *Core) Resume(i *Image) *Stack {
	m.stacks = m.stacks[:1]
	for n := 1; n < len(i.stacks); n++ {
		k := &i.stacks[n]
		s := m.newStack()
		if k.state != stackFree {
			*s = k.Stack
			s.stackPiece, s.chunks = m.slots.get(len(k.mem)), slices.Clone(k.chunks)
			copy(s.Mem, k.mem)
		}
		m.stacks = append(m.stacks, s)
	}
	m.free = slices.Clone(i.free)
	m.countStacks()
	m.guestLimit, m.yielder = i.guestLimit, i.yielder
	m.freeUnits, m.limit = i.freeUnits, min(noLimit, i.freeUnits+m.allow)
	m.qstart, m.poolAt, m.crowded = i.qstart, i.poolAt, i.crowded
	m.used, m.top, m.Gas = i.used, 0, 0
	m.sliceEnd = i.used + m.slice
	m.SetGas()
	m.entered, m.status = true, rt.Yield
	return m.Select(i.cur)
}
