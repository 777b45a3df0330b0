package exec

import (
	"math/bits"
	"slices"

	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// An Image is a machine that waits in [rt.Yield]: its execution stacks and its gas. Other machines
// of the same module and tier can resume from it. It holds addresses of the module's code, and no
// address of the instance. It is immutable and safe for concurrent use. The list that TestFuture of
// package engine reads says what becomes of each field of Core.
type Image struct {
	stacks     []stackImage // by number; 0 is unused
	free       []uint32
	cur        uint32
	guestLimit int64

	yielder uint32

	used, freeUnits, qstart, poolAt int64
	crowded                         bool
}

// Waiting is the state of a machine that waits in [rt.Yield], in the form of its tier. It is
// immutable.
type Waiting interface {
	Units() int64 // gas used
	AppendState(b []byte) []byte
	Holds() (chunks []memory.Chunk, host int64)
}

// A stackImage is a stack with the contents of its memory. Frames refer to each other by distances,
// so they may lie anywhere.
type stackImage struct {
	Stack
	mem []uint64
}

const (
	// maxImage is the most slots that an image holds, over all stacks.
	maxImage = 1 << 16
	// wholeStack is the least number of slots that an image holds of the current stack, if it has
	// so many. If a deep recursion has made the stack larger, the image holds at most twice the
	// used part.
	wholeStack = 1 << 10
)

// Image copies the machine's state. The tier has saved the registers of the current stack in it;
// used is how many of its bytes are in use. The result is false if the state cannot be kept. over
// is an image that is not needed any more and whose memory may be reused, or nil.
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

// Other returns the number of an execution stack that is not the current one, or 0 if the waiting
// goroutine is the only one.
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

// Units returns the gas that the machine had used, without the free units.
func (i *Image) Units() int64 { return i.used - i.freeUnits }

// Resume makes a machine that has not run wait as the machine of the image did. The heap is the
// image's already. It returns the current stack, from which the tier takes the registers.
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
