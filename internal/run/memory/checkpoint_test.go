package memory

import (
	"fmt"
	"hash/crc64"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// clone returns a copy of the model with fresh random numbers.
func (m *model) clone(seed uint64) *model {
	c := *m
	c.rng = rand.New(rand.NewPCG(seed, 2))
	c.objs = make(map[uint32]*modelObj, len(m.objs))
	for p, o := range m.objs {
		d := *o
		d.words = maps.Clone(o.words)
		c.objs[p] = &d
	}
	c.addrs, c.roots, c.chunks = slices.Clone(m.addrs), slices.Clone(m.roots), slices.Clone(m.chunks)
	return &c
}

// contents is a digest of all memory that a checkpoint has to restore.
func contents(h *Heap) uint64 {
	d := crc64.New(crc64.MakeTable(crc64.ECMA))
	for _, c := range h.space.committed {
		d.Write(h.space.guest(c))
	}
	for _, r := range tableSpans(uint64(h.lo), uint64(max(h.lo, h.ready))) {
		d.Write(h.space.all[r.lo:r.hi])
	}
	fmt.Fprint(d, h.space.committed, h.window(), h.spare, h.counters, h.chunks, h.wide, h.top, h.cursor, h.lowFree, h.Mallocs, h.free, h.special.list.List)
	return d.Sum64()
}

// trackers are the ways in which checkpoints find written pages.
func trackers(t *testing.T) map[string]*Tracker {
	list := map[string]*Tracker{"compare": nil}
	if tr, err := NewTracker(); err == nil {
		list["track"] = tr
	} else {
		t.Logf("no tracker: %v", err)
	}
	return list
}

// TestCheckpoint runs random programs from a checkpoint, goes back, and runs them again: memory,
// tables, addresses and figures are the same each time.
func TestCheckpoint(t *testing.T) {
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	for name, tracker := range trackers(t) {
		for seed := range uint64(6) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				limit := uint64(64 << 20)
				if seed >= 4 {
					limit = 2 << 20
				}
				h := newTestHeap(t, limit)
				m := &model{t: t, h: h, rng: rand.New(rand.NewPCG(seed, 1)), objs: map[uint32]*modelObj{}}
				for range 300 * seed {
					m.step()
				}
				cp, err := NewCheckpoint(h, tracker)
				if err != nil {
					t.Fatal(err)
				}
				defer cp.Release()
				if err := cp.Take(); err != nil {
					t.Fatal(err)
				}
				for round := range uint64(rounds) {
					was, before := m, contents(h)
					steps := 1 + m.rng.IntN(1000)
					var first uint64
					for again := range 3 {
						m = was.clone(round)
						for range steps {
							m.step()
						}
						m.collect()
						switch after := contents(h); {
						case again == 0:
							first = after
						case after != first:
							t.Fatalf("round %d, run %d: what comes of the same %d steps differs", round, again, steps)
						}
						if again == 2 && round%2 == 0 {
							break
						}
						if err := cp.Back(); err != nil {
							t.Fatal(err)
						}
						m = was
						if after := contents(h); after != before {
							t.Fatalf("round %d, run %d: memory is not what it was", round, again)
						}
					}
					for !h.Quiet() { // at the limit
						h.Settle()
						m.collect()
					}
					if err := cp.Take(); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}

// TestTrackedIsAll: after random steps a tracker names all pages that a comparison finds.
func TestTrackedIsAll(t *testing.T) {
	tracker, err := NewTracker()
	if err != nil {
		t.Skip("no tracker: ", err)
	}
	h := newTestHeap(t, 64<<20)
	m := &model{t: t, h: h, rng: rand.New(rand.NewPCG(1, 1)), objs: map[uint32]*modelObj{}}
	cp, err := NewCheckpoint(h, tracker)
	if err != nil || cp.tracker == nil {
		t.Fatal(err)
	}
	defer cp.Release()
	for range 50 {
		for range m.rng.IntN(500) {
			m.step()
		}
		if err := cp.Take(); err != nil {
			t.Fatal(err)
		}
		noneMissed(t, cp)
	}
}

// noneMissed fails the test if a page of memory differs from its copy.
func noneMissed(t *testing.T, cp *Checkpoint) {
	t.Helper()
	tracker := cp.tracker
	cp.tracker = nil
	defer func() { cp.tracker = tracker }()
	cp.written(false, func(lo, hi uint64, _ bool) {
		for at := lo; at < hi; at += PageSize {
			if !cp.same(at) {
				t.Fatalf("the page at %#x of the reservation was not found", at)
			}
		}
	})
}

// TestUnprotectedPages: pages that are written to all the time, now and then, for a while, or with
// their old contents are all found and restored. They stay unprotected as long as that pays.
func TestUnprotectedPages(t *testing.T) {
	tracker, err := NewTracker()
	if err != nil {
		t.Skip("no tracker: ", err)
	}
	h := newTestHeap(t, 64<<20)
	const often = 4 // objects that are written to in each round
	var objects []uint32
	for range 100 {
		p, st := h.Alloc(0, 8<<10-64) // at least a page for each
		if st != StatusOK {
			t.Fatal(st)
		}
		objects = append(objects, p)
	}
	cp, err := NewCheckpoint(h, tracker)
	if err != nil || cp.tracker == nil {
		t.Fatal(err)
	}
	defer cp.Release()
	found := func() (n int) {
		cp.written(false, func(lo, hi uint64, tracked bool) {
			if tracked {
				n += int((hi - lo) / PageSize)
			}
		})
		return n
	}
	if err := cp.Take(); err != nil {
		t.Fatal(err)
	}
	if n := found(); n != 0 {
		t.Fatalf("%d pages are unprotected behind the first Take", n)
	}
	r := rand.New(rand.NewPCG(20, 3))
	most, few, before := 0, 0, contents(h)
	for round := range uint64(600) {
		for i := range often {
			h.word(objects[i], round)
		}
		h.word(objects[often], 5) // the old value
		if phase := round / 100 % 3; phase < 2 {
			for range 1 + r.IntN(4) {
				h.word(objects[often+1+r.IntN(int(3+phase*90))], r.Uint64())
			}
		}
		if r.IntN(3) == 0 {
			if err := cp.Back(); err != nil {
				t.Fatal(err)
			}
			if contents(h) != before {
				t.Fatalf("round %d: memory is not what it was", round)
			}
		}
		if err := cp.Take(); err != nil {
			t.Fatal(err)
		}
		before = contents(h)
		noneMissed(t, cp)
		n := found()
		if most = max(most, n); n >= often && n <= mostIdle+often {
			few++
		}
	}
	if most > 2*mostIdle+8 || few < 400 {
		t.Errorf("%d pages are unprotected at most, few %d times", most, few)
	}
}
