package bytecode

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// liveLocals is what the compiler knows about the pointers in locals.
type liveLocals struct {
	before *ir.LocalLive // on the IR as phase A left it
	now    *ir.LocalLive // on the IR that is compiled
	ptrs   []uint32      // offsets of all pointers
	runAt  map[string]uint32
	inside []bool // by value ID: an address in a local, see localAddr
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
		c.now = ir.NewLocalLive(c.f)
		if c.before = c.f.LocalLive; c.before == nil {
			c.before = c.now
		}
		c.runAt = map[string]uint32{}
	}
	c.inside = make([]bool, c.f.NumValues())
	for _, b := range c.blocks { // dominators first
		for _, v := range b.b.Values {
			switch v.Op {
			case ir.OpLocalAddr:
				c.inside[v.ID] = true
			case ir.OpCopy, ir.OpPtrAdd, ir.OpPtrIdx:
				c.inside[v.ID] = c.inside[v.Args[0].ID]
			}
		}
	}
}

// localAddr reports whether v is the address of a local, computed without a
// choice. As such it keeps nothing alive: the sets of live pointers in locals count its uses.
func (c *compiler) localAddr(v *ir.Value) bool { return c.inside != nil && c.inside[v.ID] }

// zeroedLocals is the size of the part of the shadow frame that is zeroed at
// entry: up to the last pointer that the collector may look at before it is written.
func (c *compiler) zeroedLocals() int64 {
	var n int64
	if c.now != nil {
		c.before.Each(c.before.Entry, c.now, c.now.Entry, func(_, to int32) { n = max(n, int64(c.ptrs[to-1])+8) })
	}
	return n
}

// liveAt gives the last site the pointers in locals that are live there: at a
// safepoint, or (nil) where a panic may begin.
func (c *compiler) liveAt(v *ir.Value) {
	if c.now == nil {
		return
	}
	set, now := c.before.Recover, c.now.Recover
	if v != nil {
		set, now = v.Live, c.now.At(v)
		if c.before == c.now {
			set = now
		}
	}
	var runs []LocalRun
	var key []byte
	c.before.Each(set, c.now, now, func(from, to int32) {
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
