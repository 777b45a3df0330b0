package bytecode

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// liveLocals is what the compiler knows about the pointers in locals.
type liveLocals struct {
	pointers *ir.LocalLive // nil: there are none in locals
	ptrs     []uint32      // offsets of all pointers
	runAt    map[string]uint32
}

func (c *compiler) findLive() {
	for i := range c.f.Locals {
		l := &c.f.Locals[i]
		for w := int64(0); w < (l.Size+7)/8; w++ {
			if l.HasPtr(w) {
				c.ptrs = append(c.ptrs, uint32(c.locals[i]+8*w))
			}
		}
	}
	if len(c.ptrs) > 0 {
		c.pointers = c.f.LocalLive
		c.runAt = map[string]uint32{}
	}
}

// zeroedLocals is the size of the part of the shadow frame that is zeroed at
// entry: up to the last pointer that the collector may look at before it is written.
func (c *compiler) zeroedLocals() int64 {
	var n int64
	if c.pointers != nil {
		c.pointers.Each(c.pointers.Entry, nil, func(_, to int32) { n = max(n, int64(c.ptrs[to-1])+8) })
	}
	return n
}

// liveAt gives the last site the pointers in locals that are live there: at a
// safepoint, or (nil) where a panic may begin.
func (c *compiler) liveAt(v *ir.Value) {
	if c.pointers == nil {
		return
	}
	set := c.pointers.Recover
	var locals []int32
	if v != nil {
		set, locals = v.Live, c.keep(v).locals
	}
	var runs []LocalRun
	var key []byte
	c.pointers.Each(set, locals, func(from, to int32) {
		runs = append(runs, LocalRun{uint32(from), uint32(to)})
		key = append(key, byte(from), byte(from>>8), byte(from>>16), byte(from>>24), byte(to), byte(to>>8), byte(to>>16), byte(to>>24))
	})
	at, ok := c.runAt[string(key)]
	if !ok {
		at = uint32(len(c.out.LocalRuns))
		c.out.LocalRuns = append(c.out.LocalRuns, runs...)
		c.runAt[string(key)] = at
	}
	s := &c.out.Sites[len(c.out.Sites)-1]
	s.Run, s.Runs = at, uint32(len(runs))
}

// localTables describes the locals for whoever meets a pointer to one.
func (c *compiler) localTables() {
	o := c.out
	o.LocalPtrs = c.ptrs
	at := uint32(0)
	for i := range c.f.Locals {
		l := &c.f.Locals[i]
		from := at
		for end := uint32(c.locals[i] + l.Size); at < uint32(len(c.ptrs)) && c.ptrs[at] >= uint32(c.locals[i]) && c.ptrs[at] < end; {
			at++
		}
		if from < at {
			o.Locals = append(o.Locals, LocalSpan{uint32(c.locals[i]), uint32(c.locals[i] + l.Size), LocalRun{from, at}})
		}
	}
	slices.SortFunc(o.Locals, func(a, b LocalSpan) int { return int(a.Off) - int(b.Off) })
}
