package memory

import (
	"maps"
	"slices"
)

// A wholeHeap is the part of a heap in any state that a heapImage leaves out: the heap has
// collected, and holds chunks of shadow stacks, specials, and layouts made at run time.
// TestWholeHeap says for every field of Heap where it is kept, or why it need not be.
type wholeHeap struct {
	blocks   []block // of the addresses from lo to top
	wide     [LargeObject/LineSize + 1]uint32
	chunks   chunkPool
	counters counters
	layouts  []layout // those made at run time
	made     map[string]uint32
	specials []Special
	live     int // specials that were not removed
	index    int // size of their hash table
}

// MaxWhole is the most bytes of memory that SnapshotWhole copies.
const MaxWhole = 128 << 20

// SnapshotWhole copies the memory of the space and the state of its heap, whatever the heap has
// done. A heap that starts from the snapshot continues as this one does: same addresses, same
// collections, same figures. The caller copies execution stacks, whose frames the heap counts, and
// the queue of finalizers.
//
// It fails with [ErrNoSnapshot] during a collection, after an error, while the heap is watched or
// stressed, and for more than [MaxWhole] bytes.
func (h *Heap) SnapshotWhole() (*Snapshot, error) {
	if h.phase != phaseIdle || h.corrupt || h.err != nil || h.stress.every != 0 || h.watch || h.Poison || h.squeeze ||
		h.debt != 0 || len(h.buffers.list) != 0 || h.data+uint64(h.top-h.lo) > MaxWhole {
		return nil, ErrNoSnapshot
	}
	sn := &Snapshot{data: h.data, whole: &wholeHeap{
		blocks: slices.Clone(h.blocks[h.lo>>blockShift : h.top>>blockShift]), wide: h.wide, chunks: h.chunks,
		counters: h.counters, layouts: slices.Clone(h.layouts.tab[h.layouts.fixed:]), made: maps.Clone(h.layouts.made),
		specials: slices.Clone(h.special.list.List), live: h.special.live, index: len(h.special.index.List),
	}}
	sn.whole.counters.idle = 0 // it counted stacks of this instance
	sn.heap = heapImage{
		lo: h.lo, top: h.top, window: h.window(), spare: h.spare, cursor: h.cursor, lowFree: h.lowFree,
		mallocs: h.Mallocs, retired: h.retired, used: h.used, dirty: h.dirty, host: h.host,
	}
	return sn, sn.copy(h)
}

// restore completes Snapshot.restoreHeap.
func (w *wholeHeap) restore(h *Heap) {
	h.wide, h.chunks, h.counters = w.wide, w.chunks, w.counters
	h.layouts.made = maps.Clone(w.made)
	h.special.set(w.specials, w.live, w.index, nil)
}
