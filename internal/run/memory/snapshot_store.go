package memory

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/ir"
)

// A snapshot as bytes: scalars of the heap, blocks, start bits, then the segments, all in
// little-endian words. Most of a snapshot is the data of its module as the initialisation found it,
// which the reader has too. So a segment leaves out pieces that are equal to the data, or zero
// after it, and has a bit for each piece that tells whether it is stored. The reader trusts the
// writer. It checks that the parts fit together, so that a mistake gives an error.

const blockImageSize = 1 + 1 + 4 + 4 + 8 + 16

// piece is the unit in which a stored segment leaves out data.
const piece = 256

// AppendBinary appends the snapshot to b. SnapshotWhole must not have made it. data is the start of
// the data segment as it was before anything ran.
func (sn *Snapshot) AppendBinary(b, data []byte) ([]byte, error) {
	if sn.whole != nil {
		return nil, ErrNoSnapshot
	}
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
		b = le.AppendUint64(b, g.size)
		if g.bytes == nil {
			g.bytes = make([]byte, g.size)
			if err := sn.read(&g, g.bytes, 0); err != nil {
				return nil, err
			}
		}
		known := data[min(g.addr-ir.DataBase, uint64(len(data))):]
		bits := len(b)
		b = append(b, make([]byte, (pieces(len(g.bytes))+7)/8)...)
		for n := range pieces(len(g.bytes)) {
			if p := part(g.bytes, n); !begins(p, part(known, n)) {
				b[bits+n/8] |= 1 << (n % 8)
				b = append(b, p...)
			}
		}
	}
	return b, nil
}

// begins reports whether p is known, followed by zeros.
func begins(p, known []byte) bool {
	return len(known) <= len(p) && bytes.Equal(p[:len(known)], known) && allZero(p[len(known):])
}

// pieces returns the number of pieces of n bytes; part returns the piece of a number, as far as b
// has it.
func pieces(n int) int { return (n + piece - 1) / piece }

func part(b []byte, n int) []byte { return b[min(n*piece, len(b)):min((n+1)*piece, len(b))] }

// words returns the addresses and block numbers of a heap's state.
func (i *heapImage) words() []*uint32 {
	w, s := &i.window, &i.spare
	return []*uint32{&i.lo, &i.top, &w.start, &w.walked, &w.cur, &w.end, &s.start, &s.walked, &s.cur, &s.end, &i.cursor,
		&i.lowFree}
}

func (i *heapImage) counts() []*uint64 {
	return []*uint64{&i.mallocs, &i.retired, &i.used, &i.dirty, &i.host}
}

var errSnapshot = errors.New("memory: the bytes are no snapshot")

// known is the data segment as it was before anything ran.
type known struct {
	size int
	read func(dst []byte, at int) error // copies data from a place on to all of dst
}

// read copies bytes of a segment from a place on, a multiple of granule.
func (sn *Snapshot) read(g *segment, dst []byte, at uint64) error {
	if g.bytes != nil {
		copy(dst, g.bytes[at:])
		return nil
	}
	from := int(g.addr-ir.DataBase) + int(at)
	n := min(max(0, sn.known.size-from), len(dst))
	if n > 0 {
		if err := sn.known.read(dst[:n], from); err != nil {
			return err
		}
	}
	clear(dst[n:])
	first := int(at / piece)
	stored := g.stored
	for _, x := range g.there[:first/8] { // granules have a multiple of 8 pieces
		stored = stored[bits.OnesCount8(x)*piece:]
	}
	for n := range pieces(len(dst)) {
		if k := first + n; g.there[k/8]&(1<<(k%8)) != 0 {
			stored = stored[copy(part(dst, n), stored):]
		}
	}
	return nil
}

// ReadSnapshot reads the output of AppendBinary with the same data of size bytes. The snapshot
// keeps b, and read, which copies data from a place on. Both are used when memory is first made
// from the snapshot.
func ReadSnapshot(b []byte, size int, read func(dst []byte, at int) error) (*Snapshot, error) {
	r := decode.Reader{B: b}
	sn := &Snapshot{data: r.U64(), known: known{size, read}}
	i := &sn.heap
	for _, p := range i.words() {
		*p = r.U32()
	}
	for _, p := range i.counts() {
		*p = r.U64()
	}
	i.blocks = make([]blockImage, r.Count(blockImageSize))
	for n := range i.blocks {
		h := r.Bytes(2)
		if r.Short {
			break
		}
		i.blocks[n] = blockImage{state: blockState(h[0]), dirty: h[1] != 0, head: r.U32(), count: r.U32(), size: r.U64(),
			fresh: lineSet{r.U64(), r.U64()}}
	}
	i.starts = make([]startImage, r.Count(12))
	for n := range i.starts {
		i.starts[n] = startImage{r.U32(), r.U64()}
	}
	sn.segments = make([]segment, r.Count(16))
	for n := range sn.segments {
		addr, size := r.U64(), r.U64()
		if addr < ir.DataBase || size > SpaceSize || r.Short {
			return nil, errSnapshot
		}
		g := segment{addr: addr, size: size, there: r.Bytes(uint64(pieces(int(size))+7) / 8)}
		length := 0
		for n := range pieces(int(size)) {
			if !r.Short && g.there[n/8]&(1<<(n%8)) != 0 {
				length += min(piece, int(size)-n*piece)
			}
		}
		if g.stored = r.Bytes(uint64(length)); r.Short {
			return nil, errSnapshot
		}
		sn.segments[n] = g
	}
	if !r.End() || !sn.valid() {
		return nil, errSnapshot
	}
	return sn, nil
}

// valid reports whether the parts fit together.
func (sn *Snapshot) valid() bool {
	i := &sn.heap
	if sn.data > SpaceSize/2 || i.lo%BlockSize != 0 || i.top%BlockSize != 0 || i.top < i.lo ||
		i.top > maxBlocks<<blockShift ||
		uint64(i.lo) < ir.DataBase+sn.data || len(i.blocks) != int((i.top-i.lo)>>blockShift) {
		return false
	}
	for _, w := range []window{i.window, i.spare} {
		if w != (window{}) && (w.start < i.lo || w.start > w.walked || w.walked > w.cur || w.cur > w.end || w.end > i.top) {
			return false
		}
	}
	first, last := i.lo>>blockShift, i.top>>blockShift
	if i.cursor < first || i.cursor > last || i.lowFree < first || i.lowFree > last || i.used > uint64(len(i.blocks)) ||
		i.dirty > uint64(len(i.blocks)) {
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
		if g.addr < at || g.addr%granule != 0 || g.size > sn.end()-min(g.addr, sn.end()) ||
			g.size == 0 || g.size%granule != 0 && n != len(sn.segments)-1 {
			return false
		}
		at = g.addr + g.size
	}
	return true
}
