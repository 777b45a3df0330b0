package memory

import "math/bits"

// Stats are the heap's figures, all of them exact. Bytes of objects are requested sizes, rounded up
// to 8, without headers.
type Stats struct {
	Mallocs     uint64 // objects allocated
	Frees       uint64 // objects freed
	TotalAlloc  uint64 // bytes allocated
	HeapAlloc   uint64 // bytes in objects that were not freed yet
	HeapObjects uint64 // Mallocs - Frees
	HeapInuse   uint64 // bytes of the blocks in use for objects
	HeapSys     uint64 // bytes from the first block to the end of the last one that was ever in use
	StackInuse  uint64 // bytes in chunks
	Host        uint64 // sum of ChargeHost and the heap's own tables
	InUse       uint64 // what counts against the limit
	Peak        uint64 // the highest InUse since NewHeap, Reset or RestartPeak
	Limit       uint64
	SinceGC     uint64 // bytes allocated since the last collection
	NextGC      uint64 // SinceGC at which the next one is due
	NumGC       uint64
}

// counters are the sources of Stats. Bytes include headers, unless noted.
type counters struct {
	retired     uint64 // allocated, without the contents of the two windows
	gcBytes     uint64 // retired at the last collection
	gcMallocs   uint64 // Mallocs at the last collection
	live        uint64 // bytes that survived the last collection
	liveObjects uint64
	next        uint64 // bytes without headers since the last collection at which the next is due
	work        uint64 // cost of the last collection, see pace.go
	frames      uint64 // CountFrames
	debt        uint64 // Debt
	numGC       uint64
	squeeze     bool // the limit is the reason for the next collection
	tight       bool // the limit was the reason for the last one

	used  uint64 // blocks in use
	dirty uint64 // blocks with memory from the operating system
	host  uint64 // ChargeHost
	idle  uint64 // Idle
	peak  uint64
	span  uint64 // the highest InUse since TakePeak

	beyond uint64 // CountBeyond
}

// allocated is the number of bytes allocated, headers included.
func (h *Heap) allocated() uint64 {
	return h.retired + uint64(h.Cur-h.start) + uint64(h.spare.cur-h.spare.start)
}

func (h *Heap) allocatedSince() uint64 { return h.allocated() - h.gcBytes }

func (h *Heap) notePeak() {
	n := h.inUse()
	h.peak, h.span = max(h.peak, n), max(h.span, n)
}

// RestartPeak forgets the earlier use.
func (h *Heap) RestartPeak() {
	h.peak = 0
	h.notePeak()
}

// TakePeak returns the highest Stats.InUse since the last call.
func (h *Heap) TakePeak() uint64 {
	peak := h.span
	h.span = h.inUse()
	return max(peak, h.span)
}

// Stats returns the present figures.
func (h *Heap) Stats() Stats {
	total := h.allocated()
	s := Stats{
		Mallocs:    h.Mallocs,
		Frees:      h.gcMallocs - h.liveObjects,
		TotalAlloc: total - HeaderSize*h.Mallocs,
		HeapSys:    uint64(h.top - h.lo),
		StackInuse: h.chunks.bytes,
		Host:       h.host,
		InUse:      h.inUse(),
		Peak:       h.peak,
		Limit:      h.limit,
		NextGC:     h.next,
		SinceGC:    total - h.gcBytes - HeaderSize*(h.Mallocs-h.gcMallocs),
		NumGC:      h.numGC,
	}
	s.HeapObjects = s.Mallocs - s.Frees
	// A guest that overwrites the headers of its live objects can make live too small.
	s.HeapAlloc = h.live + total - h.gcBytes
	s.HeapAlloc -= min(s.HeapAlloc, HeaderSize*s.HeapObjects)
	s.HeapInuse = (h.used - h.chunks.blocks) << blockShift
	return s
}

// ChargeHost adds n bytes, or subtracts them if n is negative, to what counts against the limit:
// memory outside the heap that the guest made grow. If that would exceed the limit nothing is
// added. StatusCollect then means that a collection may help. A caller that can't collect treats it
// as StatusLimit.
func (h *Heap) ChargeHost(n int64) Status {
	if n <= 0 {
		h.host -= min(h.host, uint64(-n))
		return StatusOK
	}
	if in := h.inUse(); in > h.bound || uint64(n) > h.bound-in {
		return h.over()
	}
	h.host += uint64(n)
	h.notePeak()
	if h.resident() > h.limit+h.trimSlack() && !h.trim() {
		return StatusInterrupted
	}
	return StatusOK
}

// CountBeyond adds n bytes, or subtracts them if n is negative, to memory of the host that the
// program does not control. They count neither in Stats nor against the limit. It returns false,
// and adds nothing, if the sum would exceed half of the limit plus 8 MiB.
func (h *Heap) CountBeyond(n int64) bool {
	sum := uint64(max(0, int64(h.beyond)+n))
	if n > 0 && sum > h.limit/2+8<<20 {
		return false
	}
	h.beyond = sum
	return true
}

// CountHost adds n bytes, or subtracts them if n is negative, to what counts against the limit,
// without a check. It is for replacements of something that counted.
func (h *Heap) CountHost(n int64) { h.host = uint64(max(0, int64(h.host)+n)) }

func trailing(x uint64) uint32 { return uint32(bits.TrailingZeros64(x)) }

func fill(b []byte, c byte) {
	for i := range b {
		b[i] = c
	}
}
