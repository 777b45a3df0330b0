package memory

import (
	"unsafe"

	"github.com/gyrvm/gyr/internal/ir"
)

// The image of a snapshot is all of a space's memory at the start of an instance: tables, counters,
// context, data and heap. If the system supports it, the image is a file without a name, which
// spaces map copy on write as one mapping. So an instance has three mappings: the image, the part
// of its heap after the image, and the rest of the reservation. A reset copies back the pages that
// differ from the image (rewind_linux.go).

// tableParts returns the parts of the side tables that describe the blocks of a snapshot, as bytes,
// with their places in the reservation.
func (sn *Snapshot) tableParts() (parts []tablePart) {
	i := &sn.heap
	if i.top == i.lo {
		return nil
	}
	bits := make([]bitPair, i.top>>9-i.lo>>9)
	for _, w := range i.starts {
		bits[w.index-i.lo>>9].start = w.bits
	}
	return []tablePart{
		{uint64(i.lo) >> 9 * bitPairSize, bytesOf(bits)},
		{sideBits + uint64(i.lo)>>blockShift*blockRecord, bytesOf(sn.blocks())},
	}
}

// A tablePart is a part of the side tables, as bytes.
type tablePart struct {
	off   uint64
	bytes []byte
}

const bitPairSize = uint64(unsafe.Sizeof(bitPair{}))

// block returns the record that i is the image of.
func (i *blockImage) block() block {
	return block{state: i.state, dirty: i.dirty, head: i.head, count: i.count, size: i.size, fresh: i.fresh}
}

// Runs of zeros in the data from this length on are not part of the file: they would take memory
// twice.
const longZeros = 4 << 20

// imageEnd is the guest address where the image, and the committed memory of its heap, ends.
func (sn *Snapshot) imageEnd() uint64 {
	if sn.ends != 0 {
		return sn.ends
	}
	if sn.heap.top > sn.heap.lo {
		return readyFor(uint64(sn.heap.top))
	}
	return readyFor(uint64(sn.heap.lo))
}

// holes is how many pages of the guest the image does not have: long runs of zeros.
func (sn *Snapshot) holes() (n int) {
	for _, z := range sn.zeros() {
		n += int((z.hi - z.lo) / PageSize)
	}
	return n
}

// zeros returns the long runs of zeros before the end of the snapshot, as guest addresses.
func (sn *Snapshot) zeros() (list []span) {
	if sn.ends != 0 {
		return nil
	}
	at := uint64(ir.DataBase)
	add := func(lo, hi uint64) {
		if hi > lo && hi-lo >= longZeros {
			list = append(list, span{lo, hi})
		}
	}
	for _, g := range sn.segments {
		add(at, g.addr)
		at = (g.addr + g.size + granule - 1) &^ (granule - 1)
	}
	add(at, sn.end()&^(granule-1))
	return list
}
