package memory

import (
	"math/rand/v2"
	"testing"
)

// TestScatteredObjects: a program repeatedly keeps a small object among many medium ones. It needs
// the memory of the live objects and of what it allocates between two collections, for all sizes,
// and large objects find room at the same time. If each took a free block, the survivors would keep
// the blocks.
func TestScatteredObjects(t *testing.T) {
	for _, sizes := range []struct {
		name              string
		survivor, garbage func(*rand.Rand) uint64
		waste             uint64 // holes that are too narrow, as a multiple of the need without any
	}{
		{"small among medium", fixed(40), fixed(4 << 10), 2},
		{"small among the largest medium", fixed(16), fixed(LargeObject - HeaderSize), 2},
		{"medium among medium", fixed(600), fixed(9 << 10), 2},
		{"any", between(8, 1000), between(8, LargeObject), 4},
	} {
		t.Run(sizes.name, func(t *testing.T) {
			h := newTestHeap(t, 1<<30)
			r := rand.New(rand.NewPCG(1, 2))
			var live []uint32
			bytes := uint64(0)
			for len(live) < 20000 {
				n := sizes.survivor(r)
				p, _ := allocOrCollect(t, h, layNone, n, live...)
				live, bytes = append(live, p), bytes+n+HeaderSize
				for range 8 {
					allocOrCollect(t, h, layNone, sizes.garbage(r), live...)
				}
				if len(live)%2000 == 0 {
					allocOrCollect(t, h, layNone, 1<<20, live...)
				}
			}
			// Allocations until the next collection, and the large object, come on top of what
			// lives.
			want := sizes.waste*(bytes+max(MinTrigger, bytes)) + 4<<20
			if s := h.Stats(); s.Peak > want {
				t.Errorf("%d KiB at the peak for %d KiB that live, want %d at most; %d collections", s.Peak>>10, bytes>>10, want>>10, s.NumGC)
			}
			checkBlocks(t, h, false)
		})
	}
}

func fixed(n uint64) func(*rand.Rand) uint64 { return func(*rand.Rand) uint64 { return n } }

func between(lo, hi uint64) func(*rand.Rand) uint64 {
	return func(r *rand.Rand) uint64 { return lo + r.Uint64N(hi-lo) }
}
