package store

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gyrvm/gyr/state"
)

var forgedCount = flag.Int("forged", 300, "stores that TestForgedStore makes")

// TestForgedStore changes what a store keeps, with valid hashes and sums, as anybody with write
// access to the database can. Whatever the content, each method returns, with an error of a type of
// the package or none.
func TestForgedStore(t *testing.T) {
	made := NewMemory().(*memory)
	s, err := New(made)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	trees := map[string]state.Tree{}
	pages := map[state.Hash][]byte{}
	for seq := range uint64(4) {
		for _, name := range []string{"a", "b"} {
			tree := trees[name]
			var list []state.Page
			for n := uint32(r.IntN(40)); len(list) < 12; n += 1 + uint32(r.IntN(300)) {
				b := make([]byte, state.PageSize)
				b[0], b[1] = byte(r.IntN(4)), byte(1+r.IntN(5)) // several versions have the same
				list = append(list, state.Page{Number: n, Content: b})
				pages[state.HashPage(b)] = b
			}
			if err := tree.Update(list); err != nil {
				t.Fatal(err)
			}
			page := func(n uint32) ([]byte, error) {
				hash, err := tree.Page(n)
				return pages[hash], err
			}
			if _, err := s.Commit(Change{Name: name, Seq: seq + 1, Tree: tree, Sections: []state.Section{{Name: "x", Content: []byte{byte(seq)}}, {Name: "y", Content: []byte("y")}}, Page: page}); err != nil {
				t.Fatal(err)
			}
			trees[name] = tree
		}
	}
	for round := range *forgedCount {
		r := rand.New(rand.NewPCG(uint64(round), 3))
		m := forgedMemory(r, made)
		if err := useForged(r, m, pages); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}

// forgedMemory returns a changed copy of a backend.
func forgedMemory(r *rand.Rand, made *memory) *memory {
	m := NewMemory().(*memory)
	var keys []string
	for i, values := range made.values {
		for k, v := range values {
			if m.values[i] == nil {
				m.values[i] = map[string][]byte{}
			}
			m.values[i][k] = slices.Clone(v)
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	put := func(key, value []byte) {
		if len(key) == 0 {
			return
		}
		if m.values[key[0]] == nil {
			m.values[key[0]] = map[string][]byte{}
		}
		m.values[key[0]][string(key)] = value
	}
	hash := func() (h state.Hash) {
		copy(h[:], keys[r.IntN(len(keys))][1:])
		return h
	}
	for range 1 + r.IntN(3) {
		key := []byte(keys[r.IntN(len(keys))])
		if r.IntN(2) == 0 { // objects outnumber records by far
			key = versionKey([]string{"a", "b"}[r.IntN(2)], uint64(1+r.IntN(4)))
		}
		value := slices.Clone(m.values[key[0]][string(key)])
		switch r.IntN(9) {
		case 0:
			delete(m.values[key[0]], string(key))
		case 1:
			if len(value) > 0 {
				value[r.IntN(len(value))] ^= 1 << r.IntN(8)
				put(key, value)
			}
		case 2:
			put(key, value[:r.IntN(len(value)+1)])
		case 3: // a count
			n := []uint64{2, 3, 1<<63 - 1, 1<<64 - 1, 1 << 56, 1}[r.IntN(6)]
			h := hash()
			put(countKey(h), encodeCount(h, n))
		case 4: // leftovers of a commit
			var list []byte
			for range r.IntN(4) {
				list = append(list, keys[r.IntN(len(keys))]...)
			}
			put(portionKey(uint64(r.IntN(3))), list[:r.IntN(len(list)+1)])
		case 5: // a key
			put(bendKey(r, key), value)
		default: // a record
			rec, ok := decodeRecord(key, value)
			if !ok {
				continue
			}
			switch r.IntN(5) {
			case 0:
				rec.tree = hash()
			case 1:
				rec.sections = append(rec.sections, rec.sections[r.IntN(len(rec.sections))])
			case 2:
				rec.sections[0].Hash = hash()
			case 3:
				rec.sections = nil
			default:
				rec.sections[0].Name = string(make([]byte, r.IntN(1000)))
			}
			rec.root = state.Root(rec.tree, rec.sections)
			other := bendKey(r, key)
			put(other, rec.encode(other))
		}
	}
	return m
}

// bendKey changes a key now and then.
func bendKey(r *rand.Rand, key []byte) []byte {
	key = slices.Clone(key)
	switch r.IntN(4) {
	case 0:
		binary.BigEndian.PutUint64(key[len(key)-8:], r.Uint64()>>r.IntN(64))
	case 1:
		key = key[:1+r.IntN(len(key))]
	}
	return key
}

// useForged calls all methods.
func useForged(r *rand.Rand, m *memory, pages map[state.Hash][]byte) error {
	var wrong error
	look := func(what string, err error) bool {
		for _, typ := range []any{new(*CorruptError), new(*NotFoundError), new(*SequenceError), new(*PageError), new(*NameError), new(*state.NodeError)} {
			if err == nil || errors.As(err, typ) {
				return err == nil
			}
		}
		wrong = fmt.Errorf("%s: %T: %w", what, err, err)
		return false
	}
	s, err := New(m)
	if !look("New", err) {
		return wrong
	}
	entries, err := s.Entries("")
	look("Entries", err)
	for _, name := range []string{"a", "b"} {
		_, err := s.Latest(name)
		look("Latest", err)
	}
	var versions []*Version
	for _, e := range entries {
		v, err := s.Open(e.Name, e.Seq)
		if !look("Open", err) {
			continue
		}
		versions = append(versions, v)
		_, err = v.Sections()
		look("Sections", err)
		var buf [state.PageSize]byte
		look("Pages", v.Pages(func(n uint32) bool {
			return look("ReadPage", v.ReadPage(n, buf[:]))
		}))
	}
	if n := len(versions); n > 0 {
		look("Diff", Diff(versions[r.IntN(n)], versions[r.IntN(n)], func(uint32) bool { return true }))
	}
	look("Check", s.Check(func(err error) { look("Check", err) }))
	if len(versions) > 0 {
		v := versions[r.IntN(len(versions))]
		tree := v.Tree()
		page := func(n uint32) ([]byte, error) {
			hash, err := tree.Page(n)
			return pages[hash], err
		}
		_, err = s.Commit(Change{Name: "a", Seq: 100, Tree: tree, Page: page}, Change{Name: "c", Seq: 1, Tree: tree, Page: page})
		look("Commit", err)
	}
	for _, e := range entries {
		if r.IntN(2) == 0 {
			look("Prune", s.Prune(e))
		}
	}
	look("Check", s.Check(func(err error) { look("Check", err) }))
	return errors.Join(wrong, s.Close())
}

// TestForgedLeftovers: leftovers of a commit must be objects; a count that cannot be incremented is
// damage.
func TestForgedLeftovers(t *testing.T) {
	m := NewMemory().(*memory)
	s, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	const name = "a name of 23 characters" // its keys are as long as those of objects
	change := Change{Name: name, Seq: 1, Sections: []state.Section{{Name: "x"}}}
	if _, err := s.Commit(change); err != nil {
		t.Fatal(err)
	}
	m.Write([]Write{{portionKey(0), versionKey(name, 1)}}, true)
	if s, err = New(m); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Latest(name); err != nil {
		t.Errorf("a version is gone: %v", err)
	}
	hash := state.HashSection(nil)
	m.Write([]Write{{countKey(hash), encodeCount(hash, 1<<64-1)}}, true)
	change.Seq = 2
	if _, err := s.Commit(change); !errors.As(err, new(*CorruptError)) {
		t.Errorf("a count of all that there can be: %v", err)
	}
}
