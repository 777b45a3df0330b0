package memory

import (
	"fmt"
	"unsafe"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/ir"
)

// States from untrusted files.
//
// The contents of the guest's memory are never trusted (mark.go, index.go), whether they come from
// a state or not. The heap relies on the rest of a state, so each word of it is checked before the
// heap gets it: the figures as they are read, and the tables once their pages are there. Guest
// pages come after that, since the blocks tell where to put them. A state that no program reaches
// may pass. The heap then does what it does for a guest that has overwritten all of its memory.

// refused returns an error about a state.
func refused(format string, args ...any) error { return fmt.Errorf("memory: "+format, args...) }

// SetState gives a heap the contents of a state. The heap has to wait as the state's heap did when
// its program had begun. b is the output of AppendState. page returns the content of a page by
// number, nil for zeros. Both are untrusted. stop is called about every 50 µs, and its error ends
// the work and is returned. With share, most of the memory is an image from the start, as
// [Checkpoint.Share] makes one. After an error the heap can only be reset or released.
func (h *Heap) SetState(b []byte, share bool, page func(number uint32) ([]byte, error), stop func() error) error {
	if !h.Quiet() {
		return ErrNoSnapshot
	}
	s, made, err := h.readState(b, stop)
	if err != nil {
		return err
	}
	was := make([]bool, s.top>>blockShift) // blocks of chunks, whose contents stay
	for i := h.lo >> blockShift; i < h.top>>blockShift; i++ {
		was[i] = h.blocks[i].state != blockFree && h.bare(i)
	}
	fresh := below + uint64(max(h.ready, h.lo)) // memory from here on is zeros that the system has not made yet
	if s.ready > h.ready {
		if err := h.makeReady(uint64(s.ready)); err != nil {
			return err
		}
	}
	if h.ready != s.ready {
		return refused("the memory that is ready ends at %#x, not at %#x", s.ready, h.ready)
	}
	h.reach(s.top >> blockShift)
	if err := h.setTables(page); err != nil {
		return err
	}
	if err := h.checkTables(s, stop); err != nil {
		return err
	}
	set := func(put func(at uint64, b []byte) error) error {
		return h.setGuest(was, &pagesOf{page: page, fresh: fresh, put: put}, stop)
	}
	done := false
	if share {
		if done, err = h.setBase(fresh, set); err != nil {
			return err
		}
	}
	if !done {
		if err := set(h.put); err != nil {
			return err
		}
	}
	for _, key := range made {
		ptrs, ok := spells(key)
		if _, twice := h.layouts.made[key]; !ok || twice || len(h.layouts.tab) == maxLayouts {
			return refused("layout %d", len(h.layouts.tab))
		}
		h.layouts.add(key, ptrs)
	}
	h.setWindow(s.window)
	h.spare, h.cursor, h.lowFree, h.wide, h.chunks = s.spare, s.cursor, s.lowFree, s.wide, s.chunks
	h.Mallocs = s.mallocs
	idle, span := h.counters.idle, s.counters.peak
	h.counters = s.counters
	h.counters.idle, h.counters.span = idle, span
	clear(h.free)
	for i := h.lo >> blockShift; i < h.top>>blockShift; i++ {
		if h.blocks[i].state == blockFree {
			h.free[i>>6] |= 1 << (i & 63)
		}
	}
	if !h.special.set(s.specials, s.live, s.index, func() bool { err = stop(); return err == nil }) {
		if err == nil {
			err = refused("an object has a special twice")
		}
		return err
	}
	return nil
}

// readState reads the output of AppendState, and checks what can be checked without the tables.
func (h *Heap) readState(b []byte, stop func() error) (_ *heapState, made []string, err error) {
	r := &decode.Reader{B: b}
	s := &heapState{}
	words, counts := s.figures()
	for _, p := range words {
		*p = uint32(r.Uvarint(1<<32 - 1))
	}
	for _, p := range counts {
		*p = r.Uvarint(maxFigure)
	}
	s.counters.tight = r.Uvarint(1) == 1
	if r.Short {
		return nil, nil, refused("the figures are cut off or too large")
	}
	if err := h.checkFigures(s); err != nil {
		return nil, nil, err
	}
	room := s.counters.host // layouts and specials have been charged
	for i := r.Uvarint(room / UnitLayout); i > 0 && !r.Short; i-- {
		made = append(made, r.Text())
	}
	s.live, s.index = int(r.Uvarint(room/UnitSpecial)), int(r.Uvarint(1<<32))
	for i := r.Uvarint(uint64(len(r.B))); i > 0 && !r.Short; i-- {
		s.specials = append(s.specials, Special{Obj: uint32(r.Uvarint(1<<32 - 1)), Kind: uint32(r.Uvarint(1<<32 - 1)), ID: r.Uvarint(1<<64 - 1)})
		if i%specialStep == 0 {
			if err := stop(); err != nil {
				return nil, nil, err
			}
		}
	}
	if !r.End() {
		return nil, nil, refused("the lists of layouts and specials do not end where they should")
	}
	n := len(s.specials)
	if size := s.index; size != 0 && (size < 64 || size&(size-1) != 0) || 2*n > size || size > max(64, 8*(n+1)) {
		return nil, nil, refused("an index of %d places for %d specials", size, n)
	}
	return s, made, nil
}

// maxFigure exceeds every figure of a heap, and sums of such figures do not overflow.
const maxFigure = 1 << 60

// checkFigures checks the figures against each other.
func (h *Heap) checkFigures(s *heapState) error {
	c := &s.counters
	lo, top := h.lo>>blockShift, s.top>>blockShift
	switch {
	case s.top%BlockSize != 0 || s.top < h.top || s.ready%BlockSize != 0 || s.ready > tableAddr || s.top > max(s.ready, h.lo) ||
		s.ready > max(h.ready, uint32(min(readyFor(uint64(s.top)), uint64(tableAddr)))):
		return refused("the blocks end at %#x, and what is ready at %#x", s.top, s.ready)
	case s.cursor < lo || s.cursor > top || s.lowFree < lo || s.lowFree > top:
		return refused("the search for room begins at blocks %d and %d of %d to %d", s.cursor, s.lowFree, lo, top)
	case c.used > uint64(top-lo) || h.data+c.used<<blockShift+c.host > h.limit:
		return refused("%d blocks and %d bytes of the host are more than the limit", c.used, c.host)
	case c.debt != 0:
		return refused("a collection is not paid for")
	case c.work > 1<<48 || c.frames > h.limit || c.peak > h.limit:
		return refused("figures of collections or of the peak")
	case c.gcMallocs > s.mallocs || c.liveObjects > c.gcMallocs || c.gcBytes > c.retired || c.live < HeaderSize*c.liveObjects || c.live > c.gcBytes:
		return refused("figures of the last collection")
	case c.next != max(MinTrigger, c.live-HeaderSize*c.liveObjects):
		return refused("the next collection is due at %d", c.next)
	}
	for _, at := range s.wide {
		if at > top {
			return refused("the search for a hole begins at block %d of %d", at, top)
		}
	}
	since := c.retired - c.gcBytes
	for _, w := range []window{s.window, s.spare} {
		if w == (window{}) {
			continue
		}
		n := w.start >> blockShift
		if n < lo || n >= top || w.start%LineSize != 0 || w.end%LineSize != 0 || w.walked%8 != 0 || w.cur%8 != 0 ||
			w.walked < w.start || w.cur < w.walked || w.end < w.cur || w.end <= w.start || (w.end-1)>>blockShift != n {
			return refused("a window from %#x to %#x", w.start, w.end)
		}
		since += uint64(w.cur - w.start)
	}
	if a, b := s.window, s.spare; a.end > b.start && b.end > a.start {
		return refused("two windows at %#x", max(a.start, b.start))
	}
	if since < HeaderSize*(s.mallocs-c.gcMallocs) {
		return refused("more objects than bytes of objects")
	}
	return nil
}

// stateTables returns the tables that are part of a state, start bits and records of blocks, as
// offsets in the reservation.
func (h *Heap) stateTables() []span {
	if h.ready <= h.lo {
		return nil
	}
	spans := tableSpans(uint64(h.lo), uint64(h.ready))
	return spans[:2]
}

// setTables writes the tables.
func (h *Heap) setTables(page func(number uint32) ([]byte, error)) error {
	g := &pagesOf{page: page, fresh: below + SpaceSize}
	for _, r := range h.stateTables() {
		if err := h.setPages(r.lo&^(PageSize-1), (r.hi+PageSize-1)&^(PageSize-1), g); err != nil {
			return err
		}
	}
	return nil
}

// pagesOf has the pages of a state and where they go.
type pagesOf struct {
	page  func(number uint32) ([]byte, error) // nil: zeros
	fresh uint64                              // from this offset of the reservation on, memory is zeros that the system has not made yet
	put   func(at uint64, b []byte) error     // writes a page there
}

// put writes a page of fresh memory.
func (h *Heap) put(at uint64, b []byte) error {
	copy(h.space.all[at:at+PageSize], b)
	return nil
}

// setPages writes pages of the state, in a range of the reservation.
func (h *Heap) setPages(lo, hi uint64, g *pagesOf) error {
	for at := lo; at < hi; at += PageSize {
		number, ok := stateNumber(at)
		if !ok {
			continue
		}
		b, err := g.page(number)
		if err != nil {
			return fmt.Errorf("page %d: %w", number, err)
		}
		if at >= g.fresh {
			if b != nil {
				if err := g.put(at, b); err != nil {
					return err
				}
			}
			continue
		}
		own := h.space.all[at : at+PageSize]
		switch {
		case b == nil && !allZero(own):
			clear(own)
		case b != nil && string(b) != string(own):
			copy(own, b)
		}
	}
	return nil
}

// setGuest writes guest pages. Some blocks have contents that are not part of the state. They keep
// them if they hold chunks before and after.
func (h *Heap) setGuest(was []bool, g *pagesOf, stop func() error) error {
	end := uint64(max(h.lo, h.ready))
	pageMask := h.space.page - 1
	if err := h.setPages(below+ir.DataBase, below+min((ir.DataBase+h.data+pageMask)&^pageMask, uint64(h.lo)), g); err != nil {
		return err
	}
	for at := uint64(h.lo); at < end; at += BlockSize {
		i := uint32(at >> blockShift)
		if i >= h.top>>blockShift || !h.bare(i) {
			if err := h.setPages(below+at, below+at+BlockSize, g); err != nil {
				return err
			}
			continue
		}
		if (!was[i] || h.blocks[i].state == blockFree) && below+at < g.fresh {
			if b := h.mem(uint32(at), BlockSize); !allZero(b) {
				clear(b)
			}
		}
		if i%16 == 0 {
			if err := stop(); err != nil {
				return err
			}
		}
	}
	return nil
}

// A tableCheck checks the tables of a state.
type tableCheck struct {
	h     *Heap
	run   uint32 // the first block of the current run
	left  uint32 // its blocks that are still to come
	open  [chunkClasses]uint32
	found heapState // sums over the tables
}

// checkTables checks records of blocks, start bits and the figures about them. Top and ready are
// the state's.
func (h *Heap) checkTables(s *heapState, stop func() error) error {
	if err := h.checkBeside(); err != nil {
		return err
	}
	c := tableCheck{h: h}
	for i := h.lo >> blockShift; i < h.top>>blockShift; i++ {
		if i%16 == 0 {
			if err := stop(); err != nil {
				return err
			}
		}
		if !c.block(i) {
			return refused("the record of block %d, at %#x", i, i<<blockShift)
		}
		if !h.startsFit(i) {
			return refused("the objects of block %d, at %#x", i, i<<blockShift)
		}
		if h.blocks[i].state == blockFree && i < s.lowFree {
			return refused("block %d is free, the search begins at block %d", i, s.lowFree)
		}
	}
	f := &c.found
	switch {
	case c.left != 0:
		return refused("the last run of blocks has no end")
	case f.counters.used != s.counters.used || f.counters.dirty != s.counters.dirty:
		return refused("%d blocks are in use and %d were, not %d and %d", f.counters.used, f.counters.dirty, s.counters.used, s.counters.dirty)
	case f.chunks.bytes != s.chunks.bytes || f.chunks.blocks != s.chunks.blocks:
		return refused("there are %d bytes of chunks in %d blocks, not %d in %d", f.chunks.bytes, f.chunks.blocks, s.chunks.bytes, s.chunks.blocks)
	case s.counters.live > (f.counters.used-f.chunks.blocks)<<blockShift:
		return refused("more is alive than there are blocks")
	}
	for class, first := range s.chunks.partial {
		if !h.chunksLinked(class, first, c.open[class]) {
			return refused("the list of chunks of %d bytes", 1<<(class+minChunkShift))
		}
	}
	for _, w := range []window{s.window, s.spare} {
		if w == (window{}) {
			continue
		}
		b := &h.blocks[w.start>>blockShift]
		lo, hi := lineRange(w.start&(BlockSize-1)>>lineShift, (w.end-w.start)>>lineShift)
		if b.state != blockLines || b.holes.lo&lo|b.holes.hi&hi != 0 {
			return refused("the window at %#x is not claimed", w.start)
		}
	}
	return h.checkSpecials(s, stop)
}

// checkBeside checks that the pages of the tables hold nothing but descriptions of blocks.
func (h *Heap) checkBeside() error {
	if h.ready <= h.lo {
		return nil
	}
	all, used := h.stateTables(), tableSpans(uint64(h.lo), uint64(h.top))
	for i, r := range all {
		lo, hi := r.lo&^(PageSize-1), (r.hi+PageSize-1)&^(PageSize-1)
		if !allZero(h.space.all[lo:used[i].lo]) || !allZero(h.space.all[used[i].hi:hi]) {
			return refused("tables of blocks that there are not")
		}
	}
	return nil
}

// block checks and counts the record of a block. It first looks for bytes outside all fields, and
// for invalid booleans.
func (c *tableCheck) block(i uint32) bool {
	h := c.h
	b := &h.blocks[i]
	raw := bytesOf(h.blocks[i : i+1])
	const last = unsafe.Offsetof(block{}.dirty)
	if raw[last] > 1 || !allZero(raw[last+1:]) {
		return false
	}
	want := block{state: b.state, dirty: b.dirty}
	if (c.left > 0) != (b.state == blockTail) || b.state != blockFree && !b.dirty {
		return false
	}
	f := &c.found
	if b.dirty {
		f.counters.dirty++
	}
	if b.state != blockFree {
		f.counters.used++
	}
	switch b.state {
	case blockFree:
	case blockLines:
		want.holes, want.fresh = b.holes, b.fresh
	case blockLarge, blockRun:
		want.size, want.count = b.size, b.count
		fits := b.size == uint64(b.count)<<blockShift
		if b.state == blockLarge {
			fits = b.size > LargeObject-HeaderSize && b.size%8 == 0 && b.size <= maxObject && (b.size+HeaderSize+BlockSize-1)>>blockShift == uint64(b.count)
		} else {
			f.chunks.bytes += b.size
			f.chunks.blocks += uint64(b.count)
		}
		if !fits || b.count == 0 || b.count > h.top>>blockShift-i {
			return false
		}
		c.run, c.left = i, b.count-1
	case blockTail:
		want.head = c.run
		c.left--
	case blockChunks:
		want.class, want.slots = b.class, b.slots
		if b.class >= chunkClasses || b.slots == 0 || b.slots&^allSlots(int(b.class)) != 0 {
			return false
		}
		if b.slots != allSlots(int(b.class)) {
			want.next, want.prev = b.next, b.prev
			c.open[b.class]++
		}
		f.chunks.blocks++
		for x := b.slots; x != 0; x &= x - 1 {
			f.chunks.bytes += 1 << (b.class + minChunkShift)
		}
	default:
		return false
	}
	return *b == want
}

// startsFit checks the start bits of a block: none are set where no object can be, and no mark bit
// is set. An object and its header lie in the same block.
func (h *Heap) startsFit(i uint32) bool {
	pairs := (*[BlockSize / 512]bitPair)(h.bits[i<<blockShift>>9:])
	switch h.blocks[i].state {
	case blockLines:
		marks := uint64(0)
		for j := range pairs {
			marks |= pairs[j].mark
		}
		return marks == 0 && pairs[0].start&1 == 0
	case blockLarge:
		return pairs[0] == bitPair{start: 1 << (HeaderSize / 8)} && allZero(bytesOf(pairs[1:]))
	}
	return allZero(bytesOf(pairs[:]))
}

// chunksLinked checks the list of blocks that have free chunks of a class. There are open such
// blocks. In a circular list some block would have two predecessors.
func (h *Heap) chunksLinked(class int, first, open uint32) bool {
	before := uint32(noBlock)
	for i := first; i != noBlock; i = h.blocks[i].next {
		if i < h.lo>>blockShift || i >= h.top>>blockShift || open == 0 {
			return false
		}
		b := &h.blocks[i]
		if b.state != blockChunks || int(b.class) != class || b.slots == allSlots(class) || b.prev != before {
			return false
		}
		before = i
		open--
	}
	return open == 0
}

// checkSpecials checks that specials belong to objects.
func (h *Heap) checkSpecials(s *heapState, stop func() error) error {
	live := 0
	for i, x := range s.specials {
		if i%specialStep == specialStep-1 {
			if err := stop(); err != nil {
				return err
			}
		}
		if x.Kind == 0 {
			continue
		}
		live++
		if x.Obj-h.lo >= h.top-h.lo || x.Obj%8 != 0 || h.bits[x.Obj>>9].start>>(x.Obj>>3&63)&1 == 0 {
			return refused("a special of what is no object, at %#x", x.Obj)
		}
	}
	if live != s.live {
		return refused("%d specials, not %d", live, s.live)
	}
	return nil
}

// A Chunk is a machine's chunk, by its address and the requested size.
type Chunk struct{ Addr, Size uint32 }

// ChunksAre reports whether the chunks of the heap are exactly those of a list.
func (h *Heap) ChunksAre(list []Chunk) bool {
	seen := map[uint32]bool{}
	total := uint64(0)
	for _, c := range list {
		start, ok := h.ChunkOf(c.Addr)
		if !ok || start != c.Addr || seen[start] {
			return false
		}
		seen[start] = true
		b := &h.blocks[start>>blockShift]
		size := b.size
		if b.state == blockChunks {
			shift := uint32(b.class) + minChunkShift
			size = 1 << shift
			if b.slots>>(start&(BlockSize-1)>>shift)&1 == 0 {
				return false
			}
		}
		if uint64(c.Size) > size {
			return false
		}
		total += size
	}
	return total == h.chunks.bytes
}

// Charges returns the least that counts as memory of the host, for the heap's own records there.
func (h *Heap) Charges() (n uint64) {
	n = uint64(h.special.live) * UnitSpecial
	for key := range h.layouts.made {
		n += UnitLayout + 2*uint64(len(key))
	}
	return n
}

// Host returns what counts as memory of the host.
func (h *Heap) Host() uint64 { return h.host }
