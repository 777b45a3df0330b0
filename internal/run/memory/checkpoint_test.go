package memory

import (
	"fmt"
	"hash/crc64"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// clone returns a copy of the model whose random numbers begin anew.
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

// contents is a digest of all that a checkpoint has to bring back of memory.
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

// trackers are the ways in which checkpoints find what was written to.
func trackers(t *testing.T) map[string]*Tracker {
	list := map[string]*Tracker{"compare": nil}
	if tr, err := NewTracker(); err == nil {
		list["track"] = tr
	} else {
		t.Logf("no tracker: %v", err)
	}
	return list
}

// TestCheckpoint runs random programs from a checkpoint, brings it back, and runs them again: memory, tables, addresses and figures are
// the same each time.
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
					for !h.quiet() { // at the limit
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
		cp.tracker = nil
		cp.written(false, func(lo, hi uint64) {
			for at := lo; at < hi; at += PageSize {
				if !cp.same(at) {
					t.Fatalf("the page at %#x of the reservation was not found", at)
				}
			}
		})
		cp.tracker = tracker
	}
}

// TestHeapState: every field of a heap is in a checkpoint, or there is a reason why not.
func TestHeapState(t *testing.T) {
	known := map[string]string{
		"Cur": "window", "Limit": "window", "winEnd": "window", "start": "window", "walked": "window", "spare": "kept",
		"Mallocs": "kept", "cursor": "kept", "lowFree": "kept", "wide": "kept", "blocks": "a side table", "chunks": "kept", "counters": "kept",
		"layouts": "how many", "special": "the list", "bits": "a side table", "top": "kept", "lo": "the same", "data": "the same", "free": "kept",
		"tags": "a side table", "Poison": "must be off", "watch": "must be off", "stress": "must be off", "phase": "must be idle", "corrupt": "must not be",
		"err": "must be nil", "marker": "of a collection", "limit": "the instance's own", "bound": "of a call", "buffers": "there must be none",
		"lowest": "as without buffers", "ceil": "as without buffers", "Poll": "the instance's own", "Trim": "the instance's own", "space": "the same",
		"base": "the same", "ready": "kept",
	}
	for f := range reflect.TypeFor[Heap]().Fields() {
		if known[f.Name] == "" {
			t.Errorf("Heap.%s is not known: decide in Checkpoint what becomes of it", f.Name)
		}
	}
}

// BenchmarkCheckpoint takes a checkpoint after writes to four pages, and brings one back.
func BenchmarkCheckpoint(b *testing.B) {
	tracker, err := NewTracker()
	if err != nil {
		b.Skip("no tracker: ", err)
	}
	for _, size := range []uint32{1 << 20, 64 << 20} {
		s, err := Reserve()
		if err != nil {
			b.Fatal(err)
		}
		defer s.Release()
		h := NewHeap(s, 1<<16, testLayouts, 1<<30)
		var objects []uint32
		for n := uint32(0); n < size; n += 8 << 10 {
			p, st := h.Alloc(0, 8<<10-64)
			if st == StatusCollect {
				collect(b, h, objects...)
				p, st = h.Alloc(0, 8<<10-64)
			}
			if st != StatusOK {
				b.Fatal(st)
			}
			objects = append(objects, p)
			h.word(p, 1)
			h.word(p+4096, 1)
		}
		cp, err := NewCheckpoint(h, tracker)
		if err != nil {
			b.Fatal(err)
		}
		defer cp.Release()
		if err := cp.Take(); err != nil {
			b.Fatal(err)
		}
		write := func(i int) {
			for j := range 4 {
				h.word(objects[(i*7+j*31)%len(objects)], uint64(i))
			}
		}
		for _, back := range []bool{false, true} {
			name := "take"
			if back {
				name = "take+back"
			}
			b.Run(fmt.Sprintf("%s/%dMiB", name, size>>20), func(b *testing.B) {
				b.ReportAllocs()
				for i := range b.N {
					write(i)
					if back {
						if err := cp.Back(); err != nil {
							b.Fatal(err)
						}
					}
					if err := cp.Take(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
