package memory

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// A script is the input of the hostile guest: reads beyond its end return zero.
type script []byte

func (s *script) u8() byte {
	if len(*s) == 0 {
		return 0
	}
	c := (*s)[0]
	*s = (*s)[1:]
	return c
}

func (s *script) u32() uint32 {
	var b [4]byte
	for i := range b {
		b[i] = s.u8()
	}
	return binary.LittleEndian.Uint32(b[:])
}

// addr is an address in or near the heap.
func (s *script) addr(h *Heap) uint32 {
	x := s.u32()
	switch x % 8 {
	case 0:
		return x
	case 1:
		return h.lo + x>>3%(h.top-h.lo+64) - 32
	default:
		return (h.lo + x>>3%(max(h.ready, h.lo)-h.lo+1)) &^ 7
	}
}

// hostile runs a guest that writes anything to its memory. The heap may answer with any status. It
// must not panic, hang, touch memory that is not the guest's (which would fault), or lose count of
// its blocks.
func hostile(t *testing.T, h *Heap, in script) {
	var roots []uint32
	corrupt := 0
	for len(in) > 0 {
		if h.corrupt {
			if _, st := h.Alloc(layNone, 8); st != StatusCorrupt && h.Cur == h.Limit {
				t.Fatalf("Alloc on a corrupt heap: %v", st)
			}
			corrupt++
			h.Reset()
			roots = roots[:0]
		}
		switch op := in.u8(); op % 16 {
		case 0, 1, 2, 3, 4:
			size := uint64(in.u8()) << (op >> 4)
			p, st := h.Alloc(uint32(in.u8())%numLayouts, size)
			switch st {
			case StatusOK:
				roots = append(roots, p)
			case StatusCollect:
				hostileCollect(h, roots, &in)
			case StatusInvalid, StatusHost:
				t.Fatal(st)
			}
			roots = roots[max(0, len(roots)-20):]
		case 5, 6, 7, 8: // one word, often a header
			p := in.addr(h) &^ 7
			if len(roots) > 0 && op&16 != 0 {
				p = roots[int(op>>5)%len(roots)] - 8
			}
			v := uint64(in.u32())
			if op&128 != 0 {
				v = v%8192 | uint64(in.u8())<<layoutShift
			}
			if p >= h.lo && p < h.ready {
				h.word(p, v)
			}
		case 9: // a stretch of memory
			p, n := in.addr(h)&^7, in.u32()%100_000
			rng := rand.New(rand.NewPCG(uint64(in.u32()), 0))
			mask := uint64(in.u32())<<32 | 1<<(op>>4) - 1
			for ; n > 0 && p >= h.lo && p < h.ready; p, n = p+8, n-1 {
				h.word(p, rng.Uint64()&mask)
			}
		case 10, 11:
			hostileCollect(h, roots, &in)
		case 12:
			p := in.addr(h)
			start, size, ok := h.ObjectOf(p)
			if ok && (p < start || uint64(p-start) >= size) {
				t.Fatalf("ObjectOf(%#x) = %#x, %d", p, start, size)
			}
			if ok {
				h.AddSpecial(start, finalizer, uint64(op))
				if l := h.LayoutOf(start); l >= uint32(len(h.layouts.tab)) {
					t.Fatalf("layout %d", l)
				}
			}
		case 13:
			h.AddSpecial(in.addr(h), finalizer, 1)
		case 14:
			h.AllocChunk(uint32(1) << (op >> 4))
			h.AllocChunk(in.u32() >> (op >> 3))
		case 15:
			h.FreeChunk(in.addr(h) &^ 1023)
		}
		h.Stats()
	}
	if !h.corrupt {
		checkBlocks(t, h, false)
	}
	h.Reset()
	for p := h.lo; p < h.ready; p += 8 {
		if h.load(p) != 0 {
			t.Fatalf("after Reset %#x is left at %#x", h.load(p), p)
		}
	}
	if m := new(mutator); true { // the heap is as good as new
		m.h = h
		m.push(m.tree(5))
		m.collect()
		if m.count(m.roots[0]) != 63 {
			t.Fatal("heap unusable after Reset")
		}
		h.Reset()
	}
}

func hostileCollect(h *Heap, roots []uint32, in *script) {
	if h.BeginMark() != StatusOK {
		return
	}
	for _, r := range roots {
		h.MarkPtr(r)
	}
	h.MarkPtr(in.addr(h))
	p := in.addr(h) &^ 7
	if _, ok := h.space.Bytes(uint64(p), 8*64); ok {
		h.MarkBitmap(p, []uint64{^uint64(0)}, 64)
		h.MarkRange(p, layPtr, 64)
	}
	for steps := 0; !h.Drain(1 + int(in.u8())); steps++ {
		if steps > 10_000_000 {
			panic("marking does not end")
		}
	}
	h.MarkSpecials(finalizer)
	h.Drain(0)
	dead, _ := h.DeadSpecials()
	for i, s := range dead {
		if i%2 == 0 {
			h.RemoveSpecial(s.Obj, s.Kind, s.ID)
			h.MarkPtr(s.Obj)
		}
	}
	h.Drain(0)
	h.Sweep()
}

func newHostileHeap(t testing.TB) *Heap {
	h := newTestHeap(t, 3<<20)
	h.Poison = true
	return h
}

func TestHostileGuest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 30 {
		h := newTestHeap(t, 3<<20)
		h.Poison = i%2 == 0
		in := make(script, 4000)
		for j := range in {
			in[j] = byte(rng.Uint32())
		}
		hostile(t, h, in)
		h.space.Release()
	}
}

// TestRandomBytes writes random bytes over the whole heap, then collects.
func TestRandomBytes(t *testing.T) {
	for seed := range uint64(20) {
		h := newTestHeap(t, 8<<20)
		m := &mutator{h: h}
		m.push(m.tree(12))
		for i := range 100 {
			m.push(m.new(uint32(i%numLayouts), uint64(800*i)))
		}
		rng := rand.New(rand.NewPCG(seed, 3))
		mask := [...]uint64{1<<64 - 1, 0xffff, 0xff, 0x3_0000_000f}[seed%4]
		for p := h.lo; p < h.ready; p += 8 {
			h.word(p, rng.Uint64()&mask)
		}
		if st := h.BeginMark(); st != StatusOK {
			t.Fatal(st)
		}
		for _, r := range m.roots {
			h.MarkPtr(r)
		}
		for !h.Drain(MarkQuantum) {
		}
		if st := h.Sweep(); st != StatusCorrupt && st != StatusOK {
			t.Error(st)
		}
		h.space.Release()
	}
}

//fuzz:runs 1000
func FuzzHostile(f *testing.F) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		in := make([]byte, 500)
		for j := range in {
			in[j] = byte(rng.Uint32())
		}
		f.Add(in)
	}
	h := newHostileHeap(f)
	f.Fuzz(func(t *testing.T, in []byte) { hostile(t, h, in) })
}

func TestForgedHeaders(t *testing.T) {
	for _, c := range []struct {
		name   string
		header uint64
		early  bool // written before the object's start bit is made
		want   Status
	}{
		{"as it was", Header(layPair, 16), true, StatusOK},
		{"flags", 0xff<<56 | Header(layPair, 16), true, StatusOK},
		{"smaller", Header(layPair, 8), false, StatusOK},
		{"larger than its lines", Header(layPair, 40000), true, StatusCorrupt},
		{"larger than the block", Header(layPair, BlockSize), false, StatusCorrupt},
		{"reaches over the end of the block", Header(layPair, BlockSize-8), false, StatusCorrupt},
		{"4 GiB words", Header(layPair, 0) | 0xffffffff, true, StatusCorrupt},
		{"4 GiB words later", Header(layPair, 0) | 0xffffffff, false, StatusCorrupt},
		{"no such layout", Header(numLayouts, 16), false, StatusCorrupt},
		{"last layout", Header(layoutMask, 16), true, StatusCorrupt},
	} {
		h := newTestHeap(t, 64<<20)
		alloc(t, h, layPair, 16)
		p := alloc(t, h, layPair, 16)
		alloc(t, h, layPair, 16)
		if !c.early {
			h.ObjectOf(p)
		}
		h.word(p-HeaderSize, c.header)
		mark(t, h, p)
		if st := h.Sweep(); st != c.want {
			t.Errorf("%s: %v, want %v", c.name, st, c.want)
		}
	}
	h := newTestHeap(t, 64<<20)
	p := alloc(t, h, layPair, 100_000)
	h.word(p-HeaderSize, Header(layPair, 200_000))
	mark(t, h, p)
	if st := h.Sweep(); st != StatusCorrupt {
		t.Errorf("large object: %v", st)
	}
}
