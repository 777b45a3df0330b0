package exec

import (
	"bytes"
	"cmp"
	"math"
	"unsafe"

	"github.com/gyrvm/gyr/internal/run/rt"
)

// Bulk memory operations work on at most this many bytes between polls.
const piece = 64 << 10

// window returns n bytes of guest memory. It is false if some of them cannot be read.
func (m *Core) window(p, n uint64) ([]byte, bool) {
	return m.VM.Space.Bytes(uint64(uint32(p)), n)
}

// readable returns the longest prefix of n bytes that can be read.
func (m *Core) readable(p, n uint64) []byte {
	k := m.VM.Space.Readable(uint64(uint32(p)), n)
	return unsafe.Slice((*byte)(unsafe.Add(m.Base, uint32(p))), k)
}

// fault ends the run because some of n bytes cannot be accessed. FaultAt tells the part that gas
// has in it.
func (m *Core) fault(p, n uint64) rt.Status {
	if m.spent() {
		return rt.OutOfGas
	}
	return m.VM.FaultAt(uint64(uint32(p)), n)
}

// fault2 is fault for two ranges of n bytes that are read in step.
func (m *Core) fault2(p, q, n uint64, x, y []byte) rt.Status {
	if len(x) <= len(y) {
		return m.fault(p, n)
	}
	return m.fault(q, n)
}

// Move copies n bytes; the ranges may overlap. Lengths are signed: a negative one copies nothing.
func (m *Core) Move(dst, src, n uint64) rt.Status {
	if int64(n) <= 0 {
		return rt.OK
	}
	s, ok := m.window(src, n)
	if !ok {
		return m.fault(src, n)
	}
	d, ok := m.window(dst, n)
	if !ok {
		return m.fault(dst, n)
	}
	if n <= piece {
		copy(d, s)
		return rt.OK
	}
	up := uint32(dst) <= uint32(src)
	for n := len(d); n > 0; {
		k := min(n, piece)
		if up {
			copy(d[:k], s[:k])
			d, s = d[k:], s[k:]
		} else {
			copy(d[n-k:], s[n-k:])
			d, s = d[:n-k], s[:n-k]
		}
		if n -= k; n > 0 {
			if st := m.VM.Poll(); st != rt.OK {
				return st
			}
		}
	}
	return rt.OK
}

// Clear zeroes n bytes.
func (m *Core) Clear(p, n uint64) rt.Status {
	if int64(n) <= 0 {
		return rt.OK
	}
	d, ok := m.window(p, n)
	if !ok {
		return m.fault(p, n)
	}
	for len(d) > piece {
		clear(d[:piece])
		d = d[piece:]
		if st := m.VM.Poll(); st != rt.OK {
			return st
		}
	}
	clear(d)
	return rt.OK
}

// MemEq sets res to 1 if n bytes at p and at q are equal, to 0 otherwise.
func (m *Core) MemEq(res *uint64, p, q, n uint64) rt.Status {
	*res = 1
	if int64(n) <= 0 {
		return rt.OK
	}
	x, ok1 := m.window(p, n)
	y, ok2 := m.window(q, n)
	if !ok1 || !ok2 {
		x, y := m.readable(p, n), m.readable(q, n)
		if k := looked(uint64(min(len(x), len(y))), n, 16, 8, 4, 2, 1); bytes.Equal(x[:k], y[:k]) {
			return m.fault2(p, q, n, x, y)
		}
		*res = 0
		return rt.OK
	}
	if uint32(p) == uint32(q) {
		return rt.OK
	}
	for {
		k := min(len(x), piece)
		if !bytes.Equal(x[:k], y[:k]) {
			*res = 0
			return rt.OK
		}
		if x, y = x[k:], y[k:]; len(x) == 0 {
			return rt.OK
		}
		if st := m.VM.Poll(); st != rt.OK {
			return st
		}
	}
}

// looked returns how many bytes a search or a comparison of n bytes examines before it faults. Only
// the first k bytes can be read. The operation goes in steps of one size: the largest of steps for
// which n has room. A step faults if any part of it cannot be read, whatever the rest holds. So do
// the bytes that remain after the whole steps. The steps are those of the machine code for few
// bytes (native/amd64/bulk.go).
func looked(k, n uint64, steps ...uint64) uint64 {
	for _, step := range steps {
		if n >= step {
			k -= k % step
			if step < steps[0] { // one at the start, one at the end
				k = min(k, step)
			}
			return k
		}
	}
	return 0
}

// MemCmp compares n bytes at p with l bytes at q and sets res to -1, 0 or 1.
func (m *Core) MemCmp(res *uint64, p, n, q, l uint64) rt.Status {
	n, l = uint64(max(int64(n), 0)), uint64(max(int64(l), 0))
	both := min(n, l)
	x, ok1 := m.window(p, both)
	y, ok2 := m.window(q, both)
	if !ok1 || !ok2 {
		x, y := m.readable(p, both), m.readable(q, both)
		k := uint64(min(len(x), len(y)))
		if both >= 8 {
			k -= k % 8
		}
		c := bytes.Compare(x[:k], y[:k])
		if c == 0 {
			return m.fault2(p, q, both, x, y)
		}
		*res = uint64(int64(c))
		return rt.OK
	}
	for len(x) > piece {
		if c := bytes.Compare(x[:piece], y[:piece]); c != 0 {
			*res = uint64(int64(c))
			return rt.OK
		}
		x, y = x[piece:], y[piece:]
		if st := m.VM.Poll(); st != rt.OK {
			return st
		}
	}
	c := bytes.Compare(x, y)
	if c == 0 {
		c = cmp.Compare(n, l)
	}
	*res = uint64(int64(c))
	return rt.OK
}

// IndexByte sets res to the index of the first byte b in n bytes at p, or to -1.
func (m *Core) IndexByte(res *uint64, p, n, b uint64) rt.Status {
	*res = math.MaxUint64
	if int64(n) <= 0 {
		return rt.OK
	}
	x, ok := m.window(p, n)
	if !ok {
		x := m.readable(p, n)
		k := uint64(len(x))
		switch whole := n &^ 63; {
		case n < 8:
		case n < 16:
			k = looked(k, n, 16, 8)
		case k < whole:
			k &^= 63
		default:
			k &^= 15
		}
		if i := bytes.IndexByte(x[:k], byte(b)); i >= 0 {
			*res = uint64(i)
			return rt.OK
		}
		return m.fault(p, n)
	}
	for at := 0; ; at += piece {
		k := min(len(x)-at, piece)
		if i := bytes.IndexByte(x[at:at+k], byte(b)); i >= 0 {
			*res = uint64(at + i)
			return rt.OK
		}
		if at+k == len(x) {
			return rt.OK
		}
		if st := m.VM.Poll(); st != rt.OK {
			return st
		}
	}
}

// MemHash sets res to the hash of n bytes at p, see the function MemHash.
func (m *Core) MemHash(res *uint64, p, seed, n uint64) rt.Status {
	if int64(n) <= 0 {
		n = 0
	}
	x, ok := m.window(p, n)
	if !ok {
		return m.fault(p, n)
	}
	h := hashStart(seed, n)
	for len(x) > piece {
		h = hashBlocks(h, x[:piece])
		x = x[piece:]
		if st := m.VM.Poll(); st != rt.OK {
			return st
		}
	}
	*res = hashEnd(h, x)
	return rt.OK
}
