package bytecode

// Far slots. Fields name slots by 16 bits. A function that needs more has near slots, below
// farStart, then a few scratch slots, then far ones. Separate instructions copy operands between
// far slots and scratch slots; CallFar enters frames that begin far away.
//
// Only functions with tens of thousands of values alive at once need this, so only correctness
// counts.

const (
	farStart   = 60000
	farScratch = 16 // slots: operands 0..4, then farMove
	farMove    = farStart + 8
	farLink    = 2 // slots before a far frame, where a far return finds its way back
)

// spread makes room for the scratch slots after the slots have been given out, if the function
// needs far ones.
func (c *compiler) spread() {
	if c.top < farStart {
		return
	}
	c.far = true
	for i, s := range c.slot {
		if s >= farStart {
			c.slot[i] = s + farScratch
		}
	}
	for _, b := range c.blocks {
		for i := range b.insts {
			if ci := b.insts[i].call; ci != nil && ci.base >= farStart {
				ci.base += farScratch + farLink
			}
		}
	}
	c.slots += farScratch
	c.top += farScratch + farLink
	for k := 0; k < 5; k++ {
		v := c.temp()
		c.class = append(c.class, v)
		c.fixed = append(c.fixed, 0)
		c.ranges = append(c.ranges, nil)
		c.slot = append(c.slot, farStart+int32(k))
		c.scratch[k] = v
	}
}

// nearOperands returns in with its far operands replaced by scratch slots, and loads the operands
// that are read. storeFar must store the result of a far destination afterwards.
func (c *compiler) nearOperands(in inst) inst {
	k := 0
	for _, ch := range []byte(Ops[in.op].Form) {
		if ch != '=' && ch != 'r' {
			continue
		}
		if s := c.slotOf(in.r[k]); s >= farStart {
			if ch == 'r' {
				c.word(word(FarLoad, uint16(farStart+k), 0, 0) | uint64(uint32(s))<<32)
			}
			in.r[k] = c.scratch[k]
		}
		k++
	}
	return in
}

// storeFar stores the far destinations of in.
func (c *compiler) storeFar(in *inst) {
	k := 0
	for _, ch := range []byte(Ops[in.op].Form) {
		switch ch {
		case '=':
			if s := c.slotOf(in.r[k]); s >= farStart {
				c.word(word(FarStore, uint16(farStart+k), 0, 0) | uint64(uint32(s))<<32)
			}
			k++
		case 'r':
			k++
		}
	}
}

// nearSlot returns a near slot with the content of slot s.
func (c *compiler) nearSlot(s int32, scratch int) uint16 {
	if s < farStart+farScratch {
		return uint16(s)
	}
	c.word(word(FarLoad, uint16(farStart+scratch), 0, 0) | uint64(uint32(s))<<32)
	return uint16(farStart + scratch)
}

// copySlot emits dst = src.
func (c *compiler) copySlot(dst, src int32) {
	from := c.nearSlot(src, farMove-farStart)
	if dst < farStart+farScratch {
		if uint16(dst) != from {
			c.word(word(Mov, uint16(dst), from, 0))
		}
		return
	}
	c.word(word(FarStore, from, 0, 0) | uint64(uint32(dst))<<32)
}

// Kinds of CallFar.
const (
	FarDirect = iota
	FarClosure
	FarIndex
	FarHost
)

// callFar emits a call whose frame begins at a far slot. A callee that is not fixed is in the slot
// before the frame's second.
func (c *compiler) callFar(in *inst, base int32) {
	kind := map[Op]uint16{Call: FarDirect, CallC: FarClosure, CallX: FarIndex, Host: FarHost}[in.op]
	c.word(word(CallFar, kind, 0, 0) | uint64(uint32(base))<<32)
	c.word(uint64(in.imm))
}
