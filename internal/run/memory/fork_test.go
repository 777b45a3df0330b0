package memory

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
)

// A family is a heap, forks of it, and forks of these, each with a model of what it holds.
type family struct {
	t       *testing.T
	rng     *rand.Rand
	tracker *Tracker
	members []*member
}

type member struct {
	*model
	cp     *Checkpoint
	was    *model // at the time of Take
	before uint64 // the contents at that time
	now    uint64
}

// held is a digest of the memory below the end of the heap, and of figures.
func held(h *Heap) uint64 {
	committed := h.space.committed
	defer func() { h.space.committed = committed }()
	h.space.committed = []span{{ir.DataBase, uint64(max(h.lo, h.ready))}}
	return contents(h)
}

// run makes random steps.
func (m *member) run(n int) {
	for range n {
		m.step()
	}
	for m.collect(); !m.h.Quiet(); m.collect() {
		m.h.Settle()
	}
	m.now = held(m.h)
}

// take makes the checkpoint the present.
func (f *family) take(m *member) {
	if m.cp == nil {
		var err error
		if m.cp, err = NewCheckpoint(m.h, f.tracker); err != nil {
			f.t.Fatal(err)
		}
	}
	m.cp.Forks = f.rng.IntN(2) == 0
	if err := m.cp.Take(); err != nil {
		f.t.Fatal(err)
	}
	m.was, m.before = m.clone(f.rng.Uint64()), m.now
}

// back undoes what has happened since take.
func (f *family) back(m *member) {
	if m.was == nil {
		return
	}
	if err := m.cp.Back(); err != nil {
		f.t.Fatal(err)
	}
	m.model = m.was.clone(f.rng.Uint64())
	if m.now = held(m.h); m.now != m.before {
		f.t.Fatal("memory is not what it was")
	}
}

// fork adds a fork of a member.
func (f *family) fork(m *member) {
	f.take(m)
	s, err := ReserveOnly()
	if err != nil {
		f.t.Fatal(err)
	}
	h, forked, err := m.cp.Fork(s)
	if err != nil {
		f.t.Fatal(err)
	}
	if !forked.Shared && m.h.space.all != nil && f.tracker != nil {
		f.t.Log("a fork that shares nothing")
	}
	c := &member{model: m.clone(f.rng.Uint64())}
	c.h = h
	if c.now = held(h); c.now != m.now {
		f.t.Fatal("the fork differs")
	}
	f.members = append(f.members, c)
}

// leave ends a member.
func (f *family) leave(i int) {
	m := f.members[i]
	f.members = append(f.members[:i], f.members[i+1:]...)
	if m.cp != nil {
		m.cp.Release()
	}
	if err := m.h.space.Release(); err != nil {
		f.t.Fatal(err)
	}
}

// together runs all members at once, forks one of them at the same time, and does it again after
// Back, one after the other: each comes to the same.
func (f *family) together(parent *member) {
	steps := make([]int, len(f.members))
	seeds := make([]uint64, len(f.members))
	for i, m := range f.members {
		f.take(m)
		steps[i], seeds[i] = f.rng.IntN(300), f.rng.Uint64()
		m.model = m.was.clone(seeds[i])
	}
	var wg sync.WaitGroup
	for i, m := range f.members {
		if m != parent {
			wg.Go(func() { m.run(steps[i]) })
		}
	}
	for range 3 {
		f.fork(parent)
		f.members[len(f.members)-1].check()
		f.leave(len(f.members) - 1)
		parent.run(20)
	}
	wg.Wait()
	for i, m := range f.members {
		if m == parent {
			continue
		}
		after := m.now
		f.back(m)
		m.model = m.was.clone(seeds[i])
		if m.run(steps[i]); m.now != after {
			f.t.Fatalf("what comes of the same %d steps differs", steps[i])
		}
	}
}

// TestForks runs random programs in a heap, in forks of it and in forks of these, which go on, go
// back and end in any order: nothing that one does is seen in another.
func TestForks(t *testing.T) {
	seeds := uint64(6)
	if testing.Short() {
		seeds = 2
	}
	for name, tracker := range trackers(t) {
		for seed := range seeds {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				h := newTestHeap(t, 64<<20)
				rng := rand.New(rand.NewPCG(seed, 7))
				f := &family{t: t, rng: rng, tracker: tracker}
				f.members = []*member{{model: &model{t: t, h: h, rng: rand.New(rand.NewPCG(seed, 1)), objs: map[uint32]*modelObj{}}}}
				f.members[0].run(400 * int(seed))
				for range 40 {
					i := rng.IntN(len(f.members))
					m := f.members[i]
					switch x := rng.IntN(10); {
					case x < 3:
						m.run(rng.IntN(400))
					case x < 4:
						f.take(m)
					case x < 5:
						f.back(m)
					case x < 8 && len(f.members) < 8:
						f.fork(m)
					case x < 9 && len(f.members) > 1:
						f.leave(i)
					case x == 9:
						f.together(m)
					}
					for _, m := range f.members {
						if held(m.h) != m.now {
							t.Fatalf("a member has changed by what member %d did", i)
						}
					}
				}
				for len(f.members) > 0 {
					f.members[0].check()
					f.leave(0)
				}
			})
		}
	}
}
