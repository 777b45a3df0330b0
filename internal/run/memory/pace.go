package memory

import "github.com/gyrvm/gyr/internal/gas"

// When a collection is due, and who pays for it.
//
// The price of an allocation holds a share of the collection to come. So one is
// due when as many bytes were allocated since the last one as survived it (at least
// MinTrigger), and when what was paid for them comes to what the last one cost. The
// second rule counts where much has to be looked at for little garbage: deep
// stacks, lists all over the memory beside large buffers.
//
// What a collection costs is estimated in units of gas, from figures that
// do not depend on the order of marking nor on what a tier takes for roots.
// Typical programs are below the first rule; the constants keep the worst that is
// known within eight times what was paid.
//
// A collection that the memory limit brings about earlier, or the program itself,
// was not paid for: it leaves a debt, which the tier lets the guest pay before the
// program goes on ([Heap.Debt]).
const (
	objectCost  = 4  // an object that is marked
	farCost     = 14 // a pointer to another block, where the cache is cold
	blockCost   = 16 // a block in use: its lines are swept
	specialCost = 8

	// Frames are walked, each looked up, their pointers marked: a unit for so many
	// bytes of execution stacks and shadow stacks.
	frameBytes = 8
)

// CountFrames adds n bytes, or takes them off, to the execution stacks that a
// collection looks at, in units that are the same in all tiers.
func (h *Heap) CountFrames(n int64) { h.frames = uint64(max(0, int64(h.frames)+n)) }

// stackWork is the stacks' part in the cost of a collection now.
func (h *Heap) stackWork() uint64 { return (h.frames + h.chunks.bytes) / frameBytes }

// paid is what the allocations since the last collection cost the program, about:
// with gas.AllocWeight a byte, and the price of ir.OpNew.
func (h *Heap) paid() uint64 {
	n := h.Mallocs - h.gcMallocs
	return (h.allocatedSince()-HeaderSize*n)*gas.AllocWeight>>gas.BulkShift + 4*n
}

// collectionDue reports whether the guest allocated enough since the last
// collection. What counts is what the guest asked for, as in Stats; headers
// count only where they are more than half of the memory.
func (h *Heap) collectionDue() bool {
	since := h.allocatedSince()
	return (since-HeaderSize*(h.Mallocs-h.gcMallocs) >= h.next || since >= 2*h.next) &&
		h.paid() >= h.work+h.stackWork()
}

// noteSweep brings the counters up to date after a sweep.
func (h *Heap) noteSweep() {
	m := &h.marker
	h.work = objectCost*m.objects + farCost*m.far + blockCost*h.used + specialCost*uint64(h.special.live)
	if cost, paid := h.work+h.stackWork(), h.paid(); h.squeeze && cost > paid {
		h.debt += cost - paid
	}
	h.live, h.liveObjects = m.bytes, m.objects
	h.gcBytes, h.gcMallocs = h.retired, h.Mallocs
	h.next = max(MinTrigger, h.live-HeaderSize*h.liveObjects)
	h.tight, h.squeeze = h.squeeze, false
	h.numGC++
}

// Crowded reports whether more than half of the limit survived the last collection.
func (h *Heap) Crowded() bool { return h.live > h.limit/2 }

// Work is what the last collection cost, in units of gas.
func (h *Heap) Work() uint64 { return h.work + h.stackWork() }

// Debt is what the guest has to pay for collections that the memory limit
// brought about, in units of gas; Settle returns it and forgets it.
func (h *Heap) Debt() uint64 { return h.debt }

func (h *Heap) Settle() uint64 {
	n := h.debt
	h.debt = 0
	return n
}
