package memory

import "github.com/gyrvm/gyr/internal/gas"

// When a collection is due, and who pays for it.
//
// The price of an allocation includes a share of the next collection. So a collection is due when
// two conditions hold. As many bytes were allocated since the last one as survived it (at least
// MinTrigger), and their price has reached the cost of the last one. The second condition matters
// where much has to be visited for little garbage: deep stacks, lists all over the memory beside
// large buffers.
//
// The cost of a collection is estimated in units of gas, from figures that do not depend on the
// order of marking nor on a tier's set of roots. In typical programs the first condition decides.
// The constants keep the worst known cost within eight times the price paid.
//
// A collection that the memory limit or the program itself causes earlier has not been paid for. It
// leaves a debt, and the tier makes the guest pay that before the program continues ([Heap.Debt]).
const (
	objectCost  = 4  // a marked object
	farCost     = 14 // a pointer to another block, whose cache lines are cold
	blockCost   = 16 // a block in use, whose lines are swept
	specialCost = 8

	// Frames are walked, each is looked up, and their pointers are marked: one unit for so many
	// bytes of execution stacks and shadow stacks.
	frameBytes = 8
)

// CountFrames adds n bytes to the execution stacks that a collection visits, or removes them if n
// is negative. The units are the same in all tiers.
func (h *Heap) CountFrames(n int64) { h.frames = uint64(max(0, int64(h.frames)+n)) }

// stackWork is the stacks' part in the cost of a collection at present.
func (h *Heap) stackWork() uint64 { return (h.frames + h.chunks.bytes) / frameBytes }

// paid is about what the program paid for the allocations since the last collection:
// gas.AllocWeight a byte, and the price of ir.OpNew.
func (h *Heap) paid() uint64 {
	n := h.Mallocs - h.gcMallocs
	return (h.allocatedSince()-HeaderSize*n)*gas.AllocWeight>>gas.BulkShift + 4*n
}

// collectionDue reports whether the guest has allocated enough since the last collection. It counts
// the requested sizes, as Stats does. Headers count only where they are more than half of the
// memory.
func (h *Heap) collectionDue() bool {
	since := h.allocatedSince()
	return (since-HeaderSize*(h.Mallocs-h.gcMallocs) >= h.next || since >= 2*h.next) &&
		h.paid() >= h.work+h.stackWork()
}

// noteSweep updates the counters after a sweep.
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

// Work returns the cost of the last collection, in units of gas.
func (h *Heap) Work() uint64 { return h.work + h.stackWork() }

// Debt returns what the guest has to pay for collections that the memory limit caused, in units of
// gas. Settle returns it and clears it.
func (h *Heap) Debt() uint64 { return h.debt }

func (h *Heap) Settle() uint64 {
	n := h.debt
	h.debt = 0
	return n
}
