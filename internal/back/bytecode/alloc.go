package bytecode

import (
	"slices"
	"sort"
)

// Linear scan gives out the slots, over the envelopes of the classes: from the first position at
// which a class is live to the last. Classes come in the order of their starts, so a slot is free
// for a class when every earlier holder has ended.
//
// The frame of a call starts above every class that lives across it. Those start before the call,
// so the scan knows the base when it reaches the call. It also knows the slots of the results, and
// classes that start there get them. The bases of a first scan hint arguments to their outgoing
// slots.

type allocState struct {
	class []vreg  // union-find
	fixed []int32 // by class: the slot it must have, 0: any
	slot  []int32 // by class
	slots int32   // slots in use in all: the first that never holds a class
	top   int32   // the first slot that neither a class nor a call's operand takes

	localsSlot int32

	// Memory of the scans.
	ends, freeSlots []int32
	active, highest []slotEnd
	results         []int32
	orderMem        []vreg
	callMem         []callAt
	hint            []int32

	far     bool    // some slots are beyond 16 bits, see far.go
	scratch [5]vreg // registers of the scratch slots
}

func (c *compiler) slotOf(v vreg) int32 { return c.slot[c.find(v)] }

type callAt struct {
	pos int32
	ci  *callInst
}

func (c *compiler) allocate() {
	order := c.orderMem[:0]
	for v := range c.class {
		if c.class[v] == vreg(v) && len(c.ranges[v]) > 0 {
			order = append(order, vreg(v))
		}
	}
	start := func(v vreg) int32 { return c.ranges[v][0].from }
	end := func(v vreg) int32 { r := c.ranges[v]; return r[len(r)-1].to }
	slices.SortFunc(order, func(a, b vreg) int {
		if d := start(a) - start(b); d != 0 {
			return int(d)
		}
		if fa, fb := c.fixed[a] != 0, c.fixed[b] != 0; fa != fb {
			if fa {
				return -1
			}
			return 1
		}
		return int(a) - int(b)
	})
	c.orderMem = order
	calls := c.callMem[:0]
	for _, b := range c.blocks {
		for i := range b.insts {
			if ci := b.insts[i].call; ci != nil && b.insts[i].op != Ret {
				calls = append(calls, callAt{b.pos(i), ci})
			}
		}
	}
	c.callMem = calls
	c.hint = zeroed(c.hint, len(c.class)) // by class
	hint := c.hint
	c.slot = zeroed(c.slot, len(c.class))
	c.scan(order, calls, hint, start, end)

	// Second scan, with the outgoing slots as hints.
	again := false
	for _, b := range c.blocks {
		for i := range b.insts {
			in := &b.insts[i]
			if in.call != nil {
				for j, a := range in.call.args {
					if a < 0 {
						continue
					}
					a = c.find(a)
					if c.fixed[a] != 0 || end(a) != b.pos(i) {
						continue
					}
					if in.op != Ret && callBetween(calls, start(a), b.pos(i)) {
						continue
					}
					if hint[a] == 0 {
						hint[a] = in.call.base + 2 + int32(j)
						again = true
					}
				}
			}
		}
	}
	if again {
		c.scan(order, calls, hint, start, end)
	}
	c.top = max(c.slots, int32(2+len(c.f.Sig.Params)), int32(2+len(c.f.Sig.Results)))
	for _, b := range c.blocks {
		for i := range b.insts {
			if ci := b.insts[i].call; ci != nil {
				c.top = max(c.top, ci.base+2+int32(max(len(ci.args), len(ci.res))))
			}
		}
	}
	c.spread()
}

// callBetween reports whether a call stands strictly between two positions.
func callBetween(calls []callAt, from, to int32) bool {
	i := sort.Search(len(calls), func(i int) bool { return calls[i].pos >= from })
	return i < len(calls) && calls[i].pos < to
}

type slotEnd struct{ slot, end int32 }

// A minHeap holds items with the least key on top.
type minHeap[T any] struct {
	items []T
	less  func(a, b T) bool
}

func (h *minHeap[T]) push(x T) {
	h.items = append(h.items, x)
	for i := len(h.items) - 1; i > 0; {
		p := (i - 1) / 2
		if !h.less(h.items[i], h.items[p]) {
			break
		}
		h.items[i], h.items[p] = h.items[p], h.items[i]
		i = p
	}
}

func (h *minHeap[T]) pop() T {
	top := h.items[0]
	n := len(h.items) - 1
	h.items[0] = h.items[n]
	h.items = h.items[:n]
	for i := 0; ; {
		k := 2*i + 1
		if k >= n {
			break
		}
		if k+1 < n && h.less(h.items[k+1], h.items[k]) {
			k++
		}
		if !h.less(h.items[k], h.items[i]) {
			break
		}
		h.items[i], h.items[k] = h.items[k], h.items[i]
		i = k
	}
	return top
}

func (c *compiler) scan(order []vreg, calls []callAt, hint []int32, start, end func(vreg) int32) {
	var (
		ends   = c.ends[:0] // by slot: end of the last class that got it
		active = minHeap[slotEnd]{c.active[:0], func(a, b slotEnd) bool { return a.end < b.end }}
		top    = minHeap[slotEnd]{c.highest[:0], func(a, b slotEnd) bool { return a.slot > b.slot }}
		free   = minHeap[int32]{c.freeSlots[:0], func(a, b int32) bool { return a < b }}
		callNo int
	)
	take := func(s, e int32) {
		for int32(len(ends)) <= s {
			if int32(len(ends)) < s {
				free.push(int32(len(ends)))
			}
			ends = append(ends, 0)
		}
		ends[s] = e
		active.push(slotEnd{s, e})
		top.push(slotEnd{s, e})
	}
	const forever = 1 << 30
	take(0, forever)
	if len(c.locals) > 0 {
		s := int32(2 + max(len(c.f.Sig.Params), len(c.f.Sig.Results)))
		take(s, forever)
		take(s+1, forever)
		c.localsSlot = s
	}
	isFree := func(s, at int32) bool { return s > 0 && (s >= int32(len(ends)) || ends[s] <= at) }
	results := zeroed(c.results, len(c.class)) // by class that starts as a result: slot
	c.results = results
	before := func(pos int32) { // handles the calls before a position
		for callNo < len(calls) && calls[callNo].pos < pos {
			at := calls[callNo]
			callNo++
			for len(top.items) > 0 && top.items[0].end <= at.pos+1 {
				top.pop()
			}
			at.ci.base = 1
			if len(top.items) > 0 {
				at.ci.base = top.items[0].slot + 1
			}
			for i, r := range at.ci.res {
				if r >= 0 {
					results[c.find(r)] = at.ci.base + 2 + int32(i)
				}
			}
		}
	}
	for _, v := range order {
		c.step(1)
		from, to := start(v), end(v)
		before(from)
		for len(active.items) > 0 && active.items[0].end <= from {
			free.push(active.pop().slot)
		}
		s := int32(0)
		switch {
		case v == c.localsReg && len(c.locals) > 0:
			c.slot[v] = c.localsSlot
			continue
		case v == c.localsPrev && len(c.locals) > 0:
			c.slot[v] = c.localsSlot + 1
			continue
		case c.fixed[v] != 0:
			s = c.fixed[v]
		default:
			if r := results[v]; r != 0 && isFree(r, from) {
				s = r
			} else if h := hint[v]; h != 0 && isFree(h, from) {
				s = h
			} else {
				for len(free.items) > 0 && s == 0 {
					if f := free.pop(); ends[f] <= from {
						s = f
					}
				}
				if s == 0 {
					s = int32(len(ends))
				}
			}
		}
		c.slot[v] = s
		take(s, to)
	}
	before(forever)
	c.slots = int32(len(ends))
	c.ends, c.active, c.highest, c.freeSlots = ends, active.items, top.items, free.items
}

func (s *allocState) again() allocState {
	return allocState{class: s.class, fixed: s.fixed, slot: s.slot,
		ends: s.ends, freeSlots: s.freeSlots, active: s.active, highest: s.highest, results: s.results,
		orderMem: s.orderMem, callMem: s.callMem,
		hint: s.hint}
}
