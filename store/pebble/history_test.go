package pebble_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
	"github.com/gyrvm/gyr/store/pebble"
)

// A history is the life of an instance called "a". Its version of each number follows from the
// number alone, so that processes without contact make the same versions.
type history struct {
	small bool // without the large versions
	seq   uint64
	tree  state.Tree
	pages map[uint32][]byte
	roots map[uint64]state.Hash
}

func newHistory() *history {
	return &history{pages: map[uint32][]byte{}, roots: map[uint64]state.Hash{}}
}

// to advances to the version of a number.
func (h *history) to(t testing.TB, seq uint64) {
	for h.seq < seq {
		h.seq++
		rng := rand.New(rand.NewPCG(h.seq, 1))
		n := 1 + rng.IntN(8)
		if h.seq%7 == 3 && !h.small {
			n = 2500 // more than one portion
		}
		numbers := map[uint32]bool{}
		for range n {
			numbers[rng.Uint32N(4000)] = true
		}
		var pages []state.Page
		for number := range numbers {
			content := make([]byte, state.PageSize)
			for i := 0; i < len(content); i += 8 {
				binary.LittleEndian.PutUint64(content[i:], h.seq<<32|uint64(number))
			}
			h.pages[number] = content
			pages = append(pages, state.Page{Number: number, Content: content})
		}
		slices.SortFunc(pages, func(a, b state.Page) int { return int(a.Number) - int(b.Number) })
		if err := h.tree.Update(pages); err != nil {
			t.Fatal(err)
		}
		sections, err := state.HashSections(h.change().Sections)
		if err != nil {
			t.Fatal(err)
		}
		h.roots[h.seq] = state.Root(h.tree.Hash(), sections)
	}
}

// change returns the commit of the version.
func (h *history) change() store.Change {
	return store.Change{Name: "a", Seq: h.seq, Tree: h.tree, Sections: []state.Section{{Name: "clock", Content: fmt.Append(nil, h.seq)}},
		Page: func(number uint32) ([]byte, error) { return h.pages[number], nil }}
}

// step commits the next version, and now and then drops all but the last few.
func (h *history) step(t testing.TB, s *store.Store) error {
	h.to(t, h.seq+1)
	if _, err := s.Commit(h.change()); err != nil {
		return err
	}
	if h.seq%4 != 0 {
		return nil
	}
	entries, err := s.Entries("a")
	if err != nil {
		return err
	}
	return s.Prune(entries[:max(0, len(entries)-3)]...)
}

// latest returns the sequence number of the last version, 0 if there is none.
func latest(t testing.TB, s *store.Store) uint64 {
	t.Helper()
	e, err := s.Latest("a")
	if err != nil && !errors.As(err, new(*store.NotFoundError)) {
		t.Fatal(err)
	}
	return e.Seq
}

// verify checks that a store is at a version between two, that this version and those before it
// have the roots of the history, and that nothing in the store is wrong. It advances the history to
// this version.
func verify(t testing.TB, s *store.Store, h *history, from, to uint64) uint64 {
	t.Helper()
	seq := latest(t, s)
	if seq < from || seq > to {
		t.Fatalf("the latest version is %d, which has to be from %d to %d", seq, from, to)
	}
	h.to(t, seq)
	entries, err := s.Entries("a")
	if err != nil {
		t.Fatal(err)
	}
	if seq > 0 && len(entries) < int(min(3, seq)) { // step leaves three
		t.Fatalf("only %d versions", len(entries))
	}
	for _, e := range entries {
		if e.Root != h.roots[e.Seq] {
			t.Fatalf("version %d has root %v, want %v", e.Seq, e.Root, h.roots[e.Seq])
		}
	}
	if err := s.Check(func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if t.Failed() {
		t.FailNow()
	}
	return seq
}

func open(t testing.TB, dir string, fs vfs.FS) *store.Store {
	t.Helper()
	s, err := tryOpen(dir, fs)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tryOpen(dir string, fs vfs.FS) (*store.Store, error) {
	b, err := pebble.Open(dir, &pebble.Options{FS: fs, Cache: 1 << 20})
	if err != nil {
		return nil, err
	}
	s, err := store.New(b)
	if err != nil {
		b.Close()
	}
	return s, err
}
