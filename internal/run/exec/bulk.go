package exec

import (
	"bytes"
	"fmt"
	"math"
	"unsafe"

	"github.com/gyrvm/gyr/internal/run/rt"
)

// Bulk memory operations work on at most this many bytes between polls.
const piece = 64 << 10

// window is guest memory as bytes; false if it leaves the 4 GiB. Pages of it may
// not be committed: touching them faults, which the tier makes an error of.
func (m *Core) window(p, n uint64) ([]byte, bool) {
	p = uint64(uint32(p))
	if n > 1<<32-p {
		return nil, false
	}
	return unsafe.Slice((*byte)(unsafe.Add(m.Base, p)), n), true
}

func (m *Core) badRange(p, n uint64) rt.Status {
	return m.Fail("memory", fmt.Errorf("%w: %d bytes at %#x", rt.ErrAddress, n, uint32(p)))
}

// Move copies n bytes; the ranges may overlap. Lengths are signed: below 0 is none.
func (m *Core) Move(dst, src, n uint64) rt.Status {
	if int64(n) <= 0 {
		return rt.OK
	}
	d, ok1 := m.window(dst, n)
	s, ok2 := m.window(src, n)
	if !ok1 || !ok2 {
		return m.badRange(dst, n)
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

// Clear makes n bytes zero.
func (m *Core) Clear(p, n uint64) rt.Status {
	if int64(n) <= 0 {
		return rt.OK
	}
	d, ok := m.window(p, n)
	if !ok {
		return m.badRange(p, n)
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
	if int64(n) <= 0 || uint32(p) == uint32(q) {
		return rt.OK
	}
	x, ok1 := m.window(p, n)
	y, ok2 := m.window(q, n)
	if !ok1 || !ok2 {
		return m.badRange(p, n)
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

// MemCmp sets res to -1, 0 or 1 as n bytes at p compare with l bytes at q.
func (m *Core) MemCmp(res *uint64, p, n, q, l uint64) rt.Status {
	n, l = uint64(max(int64(n), 0)), uint64(max(int64(l), 0))
	x, ok1 := m.window(p, n)
	y, ok2 := m.window(q, l)
	if !ok1 || !ok2 {
		return m.badRange(p, n)
	}
	for len(x) > piece && len(y) > piece {
		if c := bytes.Compare(x[:piece], y[:piece]); c != 0 {
			*res = uint64(int64(c))
			return rt.OK
		}
		x, y = x[piece:], y[piece:]
		if st := m.VM.Poll(); st != rt.OK {
			return st
		}
	}
	*res = uint64(int64(bytes.Compare(x, y)))
	return rt.OK
}

// IndexByte sets res to the place of the first byte b in n bytes at p, or -1.
func (m *Core) IndexByte(res *uint64, p, n, b uint64) rt.Status {
	*res = math.MaxUint64
	if int64(n) <= 0 {
		return rt.OK
	}
	x, ok := m.window(p, n)
	if !ok {
		return m.badRange(p, n)
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
		return m.badRange(p, n)
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
