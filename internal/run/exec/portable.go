package exec

import (
	"encoding/binary"
	"errors"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// The state of a machine that waits for a call, alone, as data that is the same in every tier: gas,
// and the charges of the stack. The frames are not part of it, since all machines of the program
// that wait so have the same ones. They hold nothing that a call has left (runtime/call.go of the
// overlay), and are taken from a machine that has just begun to wait.

// AppendState appends the state to b. The machine has no other goroutine.
func (i *Image) AppendState(b []byte) []byte {
	put := func(list ...int64) {
		for _, v := range list {
			b = binary.AppendVarint(b, v)
		}
	}
	crowded := int64(0)
	if i.crowded {
		crowded = 1
	}
	s := &i.stacks[i.cur]
	put(int64(i.cur), int64(len(i.stacks)), i.used, i.freeUnits, i.qstart, i.poolAt, crowded, int64(len(i.free)))
	for _, id := range i.free {
		put(int64(id))
	}
	put(s.charged, s.counted, s.locals, int64(s.g), int64(s.ssp), int64(s.slim), int64(s.spare.addr), int64(s.spare.size), int64(s.spare.lastLimit), int64(len(s.chunks)))
	for _, c := range s.chunks {
		put(int64(c.addr), int64(c.size), int64(c.lastLimit))
	}
	return b
}

var errState = errors.New("it is not that of a machine of this program")

// WithState returns the image of the machine with a state. i is an image of the machine when it had
// just begun to wait. The bytes are untrusted. The caller checks the state's chunks against the
// heap once that is restored, see [Image.Holds].
func (m *Core) WithState(i *Image, b []byte) (*Image, error) {
	r := &decode.Reader{B: b}
	get := func(lo, hi int64) int64 {
		v := r.Varint()
		r.Short = r.Short || v < lo || v > hi
		return v
	}
	number := func() uint32 { return uint32(get(0, 1<<32-1)) }
	c := *i
	cur, stacks := number(), number()
	c.used, c.freeUnits = get(i.freeUnits, noLimit), get(i.freeUnits, i.freeUnits)
	c.qstart = get(0, c.used)
	c.poolAt = get(0, 2*noLimit)
	c.crowded = get(0, 1) == 1
	// So many stacks existed at one time, and each was counted.
	if most := m.Heap.Stats().Limit / (memory.UnitStack + memory.UnitFirst); r.Short || cur != i.cur || stacks < uint32(len(i.stacks)) || uint64(stacks) > most+1 {
		return nil, errState
	}
	if m.interval > 0 && i.poolAt < 2*noLimit {
		if c.poolAt > c.used+m.interval || (c.poolAt-i.poolAt)%m.interval != 0 {
			return nil, errState
		}
	} else if c.poolAt != i.poolAt {
		return nil, errState
	}
	// All stacks but the one that waits are free.
	if n := number(); r.Short || n != stacks-2 {
		return nil, errState
	}
	c.stacks, c.free = make([]stackImage, stacks), make([]uint32, 0, stacks)
	c.stacks[cur] = i.stacks[cur]
	seen := make([]bool, stacks)
	seen[0], seen[cur] = true, true
	for range stacks - 2 {
		id := number()
		if r.Short || id >= stacks || seen[id] {
			return nil, errState
		}
		seen[id] = true
		c.free = append(c.free, id)
	}
	s := &c.stacks[cur]
	if err := s.read(r, &i.stacks[cur].Stack, get, number, i.guestLimit); err != nil {
		return nil, err
	}
	if !r.End() {
		return nil, errState
	}
	return &c, nil
}

// read reads the part of a state about the stack that waits. was is that stack when it began to
// wait.
func (s *stackImage) read(r *decode.Reader, was *Stack, get func(lo, hi int64) int64, number func() uint32, limit int64) error {
	s.charged = get(was.charged, max(was.charged, limit))
	s.counted = get(was.counted, s.charged)
	s.locals = get(was.locals, was.locals)
	g, ssp, slim := number(), number(), number()
	s.spare = chunk{number(), number(), number()}
	n := number()
	if r.Short || g != was.g || ssp != was.ssp || slim != was.slim || n != uint32(len(was.chunks)) || s.spare.addr == 0 && s.spare != (chunk{}) {
		return errState
	}
	// The spare chunk is the last one that was left. Its lastLimit is not compared further: one
	// tier rewrites it sooner than another.
	if c := s.spare; c.addr != 0 && (c.lastLimit != was.slim || c.size%firstChunk != 0 || c.size == 0) {
		return errState
	}
	for _, x := range was.chunks {
		if (chunk{number(), number(), number()}) != x {
			return errState
		}
	}
	s.beyond = 0
	s.Depth += s.charged - was.charged
	return nil
}

// Holds returns what the stack of a machine that waits alone occupies: its chunks in the heap, and
// the bytes that count as memory of the host.
func (i *Image) Holds() (chunks []memory.Chunk, host int64) {
	s := &i.stacks[i.cur]
	for _, c := range s.chunks {
		chunks = append(chunks, memory.Chunk{Addr: c.addr, Size: c.size})
	}
	if c := s.spare; c.addr != 0 {
		chunks = append(chunks, memory.Chunk{Addr: c.addr, Size: c.size})
	}
	return chunks, memory.UnitStack + s.counted
}
