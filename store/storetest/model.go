package storetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
)

// A memory is the state of an instance in plain Go: nonzero pages, and sections.
type memory struct {
	pages    map[uint32][]byte
	sections map[string][]byte
}

func (m memory) clone() memory { return memory{maps.Clone(m.pages), maps.Clone(m.sections)} }

// page returns a page that does not change afterwards.
func page(fill uint64) []byte {
	b := make([]byte, state.PageSize)
	rng := rand.NewPCG(fill, 1)
	for i := 0; i < len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], rng.Uint64())
	}
	return b
}

// An instance is a memory with its tree.
type instance struct {
	memory
	tree state.Tree
}

func newInstance() *instance {
	return &instance{memory: memory{map[uint32][]byte{}, map[string][]byte{}}}
}

// set changes pages; nil stands for zeros.
func (in *instance) set(t *testing.T, pages map[uint32][]byte) {
	t.Helper()
	var list []state.Page
	for _, number := range slices.Sorted(maps.Keys(pages)) {
		content := pages[number]
		list = append(list, state.Page{Number: number, Content: content})
		if content == nil {
			delete(in.pages, number)
		} else {
			in.pages[number] = content
		}
	}
	if err := in.tree.Update(list); err != nil {
		t.Fatal(err)
	}
}

// rebuild makes the tree anew, all of it in memory.
func (in *instance) rebuild(t *testing.T) {
	in.tree = state.Tree{}
	in.set(t, maps.Clone(in.pages))
}

func (in *instance) change(name string, seq uint64) store.Change {
	c := store.Change{Name: name, Seq: seq, Tree: in.tree, Page: func(number uint32) ([]byte, error) {
		if content, ok := in.pages[number]; ok {
			return content, nil
		}
		return nil, errors.New("no such page")
	}}
	for _, name := range slices.Sorted(maps.Keys(in.sections)) {
		c.Sections = append(c.Sections, state.Section{Name: name, Content: in.sections[name]})
	}
	return c
}

func (in *instance) commit(t *testing.T, s *store.Store, name string, seq uint64) store.Entry {
	t.Helper()
	entries, err := s.Commit(in.change(name, seq))
	if err != nil {
		t.Fatal(err)
	}
	return entries[0]
}

// same checks that a version is what was committed, to the last byte.
func same(t *testing.T, s *store.Store, e store.Entry, want memory) {
	t.Helper()
	v, err := s.Open(e.Name, e.Seq)
	if err != nil {
		t.Fatal(err)
	}
	if v.Entry() != e {
		t.Fatalf("%v, want %v", v.Entry(), e)
	}
	got := memory{map[uint32][]byte{}, map[string][]byte{}}
	if err := v.Pages(func(number uint32) bool { got.pages[number] = make([]byte, state.PageSize); return true }); err != nil {
		t.Fatal(err)
	}
	for number, content := range got.pages {
		if err := v.ReadPage(number, content); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(content, want.pages[number]) {
			t.Fatalf("%v: page %d differs", e, number)
		}
	}
	if len(got.pages) != len(want.pages) {
		t.Fatalf("%v: %d pages, want %d", e, len(got.pages), len(want.pages))
	}
	sections, err := v.Sections()
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range sections {
		got.sections[section.Name] = section.Content
	}
	if !maps.EqualFunc(got.sections, want.sections, bytes.Equal) {
		t.Fatalf("%v: other sections", e)
	}
	empty := page(1)
	if err := v.ReadPage(state.Pages-3, empty); err != nil || !bytes.Equal(empty, make([]byte, state.PageSize)) {
		t.Fatal("a page of zeros:", err)
	}
}

// clean checks that a store has no errors.
func clean(t *testing.T, s *store.Store) {
	t.Helper()
	if err := s.Check(func(err error) { t.Error(err) }); err != nil {
		t.Error(err)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// testModel commits, prunes, goes back, compares and reopens at random, and compares the result
// with a copy in plain Go. In the end everything is pruned, and nothing may be left.
func testModel(t *testing.T, d Database) {
	rng := rand.New(rand.NewPCG(7, 1))
	s := d.store(t)
	type version struct {
		entry store.Entry
		in    instance
	}
	var kept []version
	names := []string{"a", "b", "bb"}
	current := map[string]*instance{}
	for _, name := range names {
		current[name] = newInstance()
	}
	var seq uint64
	for range 300 {
		name := names[rng.IntN(len(names))]
		in := current[name]
		switch op := rng.IntN(20); {
		case op < 8:
			// Contents are few, so that some pages are equal.
			pages := map[uint32][]byte{}
			for range 1 + rng.IntN(6) {
				number := rng.Uint32N(64)
				if rng.IntN(4) == 0 {
					number = rng.Uint32N(state.Pages / 2)
				}
				if rng.IntN(3) == 0 {
					pages[number] = nil
				} else {
					pages[number] = page(rng.Uint64N(30))
				}
			}
			in.set(t, pages)
			in.sections[fmt.Sprint("section", rng.IntN(3))] = fmt.Append(nil, rng.IntN(4))
		case op < 14:
			seq += 1 + rng.Uint64N(3)
			e := in.commit(t, s, name, seq)
			if latest, err := s.Latest(name); err != nil || latest != e {
				t.Fatal(latest, err)
			}
			kept = append(kept, version{e, instance{in.clone(), in.tree}})
		case op < 17 && len(kept) > 0:
			i := rng.IntN(len(kept))
			if err := s.Prune(kept[i].entry); err != nil {
				t.Fatal(err)
			}
			kept = slices.Delete(kept, i, i+1)
			for _, in := range current {
				in.rebuild(t) // its origin may have been pruned
			}
		case op < 18 && len(kept) > 0:
			// The state of any version goes on under any name, with the tree in memory or that of
			// the store.
			from := kept[rng.IntN(len(kept))]
			in := &instance{from.in.clone(), from.in.tree}
			if rng.IntN(2) == 0 {
				v, err := s.Open(from.entry.Name, from.entry.Seq)
				if err != nil {
					t.Fatal(err)
				}
				in.tree = v.Tree()
			}
			current[name] = in
		case op < 19 && len(kept) > 0:
			a, b := kept[rng.IntN(len(kept))], kept[rng.IntN(len(kept))]
			var got, want []uint32
			x, err := s.Open(a.entry.Name, a.entry.Seq)
			if err != nil {
				t.Fatal(err)
			}
			y, err := s.Open(b.entry.Name, b.entry.Seq)
			if err != nil {
				t.Fatal(err)
			}
			if err := store.Diff(x, y, func(page uint32) bool { got = append(got, page); return true }); err != nil {
				t.Fatal(err)
			}
			all := maps.Clone(a.in.pages)
			maps.Copy(all, b.in.pages)
			for number := range all {
				if !bytes.Equal(a.in.pages[number], b.in.pages[number]) {
					want = append(want, number)
				}
			}
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("%v and %v differ in %v, want %v", a.entry, b.entry, got, want)
			}
		default:
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = d.store(t)
			for _, in := range current {
				in.rebuild(t) // trees of the closed store cannot be read any more
			}
			for i := range kept {
				kept[i].in.rebuild(t)
			}
		}
	}
	check := func() {
		t.Helper()
		clean(t, s)
		for _, v := range kept {
			same(t, s, v.entry, v.in.memory)
		}
		for _, name := range append(names, "") {
			entries, err := s.Entries(name)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, v := range kept {
				if name == "" || v.entry.Name == name {
					n++
					if !slices.Contains(entries, v.entry) {
						t.Fatalf("%v is not listed", v.entry)
					}
				}
			}
			if len(entries) != n {
				t.Fatalf("%d versions of %q listed, there are %d", len(entries), name, n)
			}
		}
	}
	if len(kept) < 10 {
		t.Fatalf("only %d versions", len(kept))
	}
	check()
	for len(kept) > 0 {
		n := min(len(kept), 1+rng.IntN(5))
		var entries []store.Entry
		for _, v := range kept[:n] {
			entries = append(entries, v.entry)
		}
		if err := s.Prune(entries...); err != nil {
			t.Fatal(err)
		}
		kept = kept[n:]
		clean(t, s)
	}
	empty(t, d, s)
}

// empty closes a store from which everything was pruned, and checks that its database is empty.
func empty(t *testing.T, d Database, s *store.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b := d.open(t)
	defer b.Close()
	for c := 1; c < 256; c++ {
		if left := keys(t, b, string([]byte{byte(c)}), false); len(left) > 0 {
			t.Errorf("%d keys left: %.60q", len(left), left[0])
		}
	}
}
