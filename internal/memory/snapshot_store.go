package memory

import (
	"encoding/binary"
	"errors"

	"github.com/gyrvm/gyr/internal/ir"
)

// A snapshot as bytes: scalars of the heap, blocks, start bits, then the
// segments, all in little-endian words. It is read by the process that trusts
// its writer; what is checked is that the parts fit together, so that a mistake
// gives an error.

const blockImageSize = 1 + 1 + 4 + 4 + 8 + 16

// AppendBinary appends the snapshot to b.
func (sn *Snapshot) AppendBinary(b []byte) ([]byte, error) {
	le := binary.LittleEndian
	i := &sn.heap
	b = le.AppendUint64(b, sn.data)
	for _, p := range i.words() {
		b = le.AppendUint32(b, *p)
	}
	for _, p := range i.counts() {
		b = le.AppendUint64(b, *p)
	}
	b = le.AppendUint32(b, uint32(len(i.blocks)))
	for _, k := range i.blocks {
		dirty := byte(0)
		if k.dirty {
			dirty = 1
		}
		b = append(b, byte(k.state), dirty)
		b = le.AppendUint32(b, k.head)
		b = le.AppendUint32(b, k.count)
		b = le.AppendUint64(b, k.size)
		b = le.AppendUint64(b, k.fresh.lo)
		b = le.AppendUint64(b, k.fresh.hi)
	}
	b = le.AppendUint32(b, uint32(len(i.starts)))
	for _, s := range i.starts {
		b = le.AppendUint32(b, s.index)
		b = le.AppendUint64(b, s.bits)
	}
	b = le.AppendUint32(b, uint32(len(sn.segments)))
	for _, g := range sn.segments {
		b = le.AppendUint64(b, g.addr)
		b = le.AppendUint64(b, uint64(len(g.bytes)))
		b = append(b, g.bytes...)
	}
	return b, nil
}

// words are the addresses and block numbers of a heap's state.
func (i *heapImage) words() []*uint32 {
	w, s := &i.window, &i.spare
	return []*uint32{&i.lo, &i.top, &w.start, &w.walked, &w.cur, &w.end, &s.start, &s.walked, &s.cur, &s.end, &i.cursor, &i.lowFree}
}

func (i *heapImage) counts() []*uint64 {
	return []*uint64{&i.mallocs, &i.retired, &i.used, &i.dirty, &i.host}
}

var errSnapshot = errors.New("memory: the bytes are no snapshot")

// ReadSnapshot reads what AppendBinary wrote. The snapshot refers to b, which
// must not be changed.
func ReadSnapshot(b []byte) (*Snapshot, error) {
	r := snapshotReader{b: b}
	sn := &Snapshot{data: r.u64()}
	i := &sn.heap
	for _, p := range i.words() {
		*p = r.u32()
	}
	for _, p := range i.counts() {
		*p = r.u64()
	}
	i.blocks = make([]blockImage, r.count(blockImageSize))
	for n := range i.blocks {
		h := r.take(2)
		if r.bad {
			break
		}
		i.blocks[n] = blockImage{state: blockState(h[0]), dirty: h[1] != 0, head: r.u32(), count: r.u32(), size: r.u64(), fresh: lineSet{r.u64(), r.u64()}}
	}
	i.starts = make([]startImage, r.count(12))
	for n := range i.starts {
		i.starts[n] = startImage{r.u32(), r.u64()}
	}
	sn.segments = make([]segment, r.count(16))
	for n := range sn.segments {
		addr, size := r.u64(), r.u64()
		sn.segments[n] = segment{addr, r.take(size)}
	}
	if r.bad || len(r.b) != 0 || !sn.valid() {
		return nil, errSnapshot
	}
	return sn, nil
}

// valid reports whether the parts fit together.
func (sn *Snapshot) valid() bool {
	i := &sn.heap
	if sn.data > SpaceSize/2 || i.lo%BlockSize != 0 || i.top%BlockSize != 0 || i.top < i.lo || i.top > maxBlocks<<blockShift ||
		uint64(i.lo) < ir.DataBase+sn.data || len(i.blocks) != int((i.top-i.lo)>>blockShift) {
		return false
	}
	for _, w := range []window{i.window, i.spare} {
		if w != (window{}) && (w.start < i.lo || w.start > w.walked || w.walked > w.cur || w.cur > w.end || w.end > i.top) {
			return false
		}
	}
	first, last := i.lo>>blockShift, i.top>>blockShift
	if i.cursor < first || i.cursor > last || i.lowFree < first || i.lowFree > last || i.used > uint64(len(i.blocks)) || i.dirty > uint64(len(i.blocks)) {
		return false
	}
	for n, b := range i.blocks {
		num := first + uint32(n)
		switch b.state {
		case blockFree, blockLines:
		case blockLarge:
			if b.count == 0 || b.count > last-num || b.size > uint64(b.count)<<blockShift-HeaderSize {
				return false
			}
		case blockTail:
			if b.head < first || b.head >= num || i.blocks[b.head-first].state != blockLarge {
				return false
			}
		default:
			return false
		}
	}
	for _, s := range i.starts {
		if s.index < i.lo>>9 || s.index >= i.top>>9 {
			return false
		}
	}
	at := uint64(ir.DataBase)
	for n, g := range sn.segments {
		if g.addr < at || g.addr%granule != 0 || uint64(len(g.bytes)) > sn.end()-min(g.addr, sn.end()) ||
			len(g.bytes) == 0 || len(g.bytes)%granule != 0 && n != len(sn.segments)-1 {
			return false
		}
		at = g.addr + uint64(len(g.bytes))
	}
	return true
}

type snapshotReader struct {
	b   []byte
	bad bool
}

func (r *snapshotReader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *snapshotReader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *snapshotReader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// count reads a number of things that take size bytes each at least.
func (r *snapshotReader) count(size uint64) int {
	n := uint64(r.u32())
	if n*size > uint64(len(r.b)) {
		r.bad = true
		return 0
	}
	return int(n)
}
