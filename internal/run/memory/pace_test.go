package memory

import "testing"

// garbage allocates objects without pointers until a collection is requested, and returns the
// bytes.
func garbage(t *testing.T, h *Heap, size uint64) (n uint64) {
	t.Helper()
	for {
		_, st := h.Alloc(layNone, size)
		if st == StatusCollect {
			return n
		}
		if st != StatusOK {
			t.Fatal(st)
		}
		n += size
	}
}

// TestPace: a collection is due when the allocations since the last one have
// paid for what that one cost.
func TestPace(t *testing.T) {
	h := newTestHeap(t, 1<<30)
	const size = 32 << 10
	if n := garbage(t, h, size); n != MinTrigger {
		t.Errorf("first collection after %d bytes", n)
	}
	collect(t, h)
	if n := garbage(t, h, size); n != MinTrigger {
		t.Errorf("second collection after %d bytes, nothing is live", n)
	}

	// Stacks of 32 MiB cost 4 million units, the price of 43 MiB.
	h.CountFrames(32 << 20)
	collect(t, h)
	if n := garbage(t, h, size); n < 40<<20 || n > 46<<20 {
		t.Errorf("with 32 MiB of stacks a collection comes after %d bytes", n)
	}
	// A byte of small objects costs more.
	collect(t, h)
	if n := garbage(t, h, 16); n < 8<<20 || n > 16<<20 {
		t.Errorf("of small objects after %d bytes", n)
	}
	h.CountFrames(-32 << 20)
	collect(t, h)
	if n := garbage(t, h, size); n != MinTrigger {
		t.Errorf("without stacks after %d bytes", n)
	}
	if h.Debt() != 0 {
		t.Error("collections that were due leave a debt")
	}

	// A list over many blocks costs more than one in a row.
	list := func(step int) uint64 {
		const n = 1 << 16
		collect(t, h)
		all := make([]uint32, n)
		for i := range all {
			all[i] = alloc(t, h, layPair, 16)
		}
		for i := range all {
			h.word(all[i], uint64(all[(i+step)%n]))
		}
		collect(t, h, all[0])
		return h.Work()
	}
	near, far := list(1), list(12345)
	if near > 5<<16 || far < 16<<16 {
		t.Errorf("a list in a row costs %d units, another %d", near, far)
	}
}

// TestDebt: the guest has to pay for what the limit makes the heap collect too early.
func TestDebt(t *testing.T) {
	h := newTestHeap(t, 16<<20)
	var roots []uint32
	for range 3 << 17 {
		p, st := allocOrCollect(t, h, layNone, 16, roots...) // 9 MiB
		if st != StatusOK {
			t.Fatal(st)
		}
		roots = append(roots, p)
	}
	collect(t, h, roots...)
	if h.Debt() != 0 {
		t.Fatal("a debt without a limit")
	}
	want := uint64(len(roots)) * objectCost / 2
	for range 3 {
		if n := garbage(t, h, 1000); n > 7<<20 {
			t.Fatalf("%d bytes of garbage", n)
		}
		collect(t, h, roots...)
		if n := h.Settle(); n < want || n > 4*want {
			t.Errorf("%d units are owed", n)
		}
		if n := h.Debt(); n != 0 {
			t.Errorf("%d units are owed twice", n)
		}
	}
}
