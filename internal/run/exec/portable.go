package exec

import (
	"encoding/binary"
	"errors"

	"github.com/gyrvm/gyr/internal/decode"
)

// The state of a machine that waits for a call, alone, as data that is the same in every tier: gas, and what the stack has been charged. Its frames are those
// of every machine of the program that waits so; they hold nothing that a call has left (runtime/call.go of the overlay), and are
// taken from one that has just begun.

// AppendState appends the state to b. The machine is alone.
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

var errState = errors.New("the state is not that of a machine of this program")

// WithState returns the image of a machine with a state, made of i, a machine that has just begun to wait.
func (i *Image) WithState(b []byte) (*Image, error) {
	r := &decode.Reader{B: b}
	get := r.Varint
	number := func() uint32 {
		v := get()
		r.Short = r.Short || v < 0 || v >= 1<<32
		return uint32(v)
	}
	c := *i
	cur, stacks := number(), number()
	c.used, c.freeUnits, c.qstart, c.poolAt, c.crowded = get(), get(), get(), get(), get() == 1
	n := number()
	if r.Short || cur != i.cur || stacks < uint32(len(i.stacks)) || stacks > 1<<20 || n >= stacks || c.used < 0 || c.freeUnits != i.freeUnits {
		return nil, errState
	}
	c.stacks = make([]stackImage, stacks)
	for k, s := range i.stacks {
		if uint32(k) == cur {
			c.stacks[k] = s
		}
	}
	c.free = nil
	for range n {
		id := number()
		if id == 0 || id == cur || id >= stacks {
			return nil, errState
		}
		c.free = append(c.free, id)
	}
	s := &c.stacks[cur]
	was := *s
	s.charged, s.counted, s.locals, s.g = get(), get(), get(), number()
	ssp, slim := number(), number()
	s.spare = chunk{number(), number(), number()}
	s.chunks = nil
	for range number() {
		if r.Short || len(s.chunks) > 64 {
			return nil, errState
		}
		s.chunks = append(s.chunks, chunk{number(), number(), number()})
	}
	if !r.End() || ssp != was.ssp || slim != was.slim || len(s.chunks) != len(was.chunks) || s.charged < was.charged {
		return nil, errState
	}
	for k, x := range was.chunks {
		if s.chunks[k] != x {
			return nil, errState
		}
	}
	s.beyond = 0
	s.Depth += s.charged - was.charged
	return &c, nil
}
