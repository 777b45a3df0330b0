package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
)

var errTold = errors.New("told to fail")

// A faulty backend fails some writes, and then does nothing of them.
type faulty struct {
	store.Backend
	writes int
	fail   func(n int) bool // by numbers from 1
}

func (f *faulty) Write(writes []store.Write, durable bool) error {
	if f.writes++; f.fail != nil && f.fail(f.writes) {
		return errTold
	}
	return f.Backend.Write(writes, durable)
}

func (d Database) faulty(t *testing.T) (*store.Store, *faulty) {
	t.Helper()
	f := &faulty{Backend: d.open(t)}
	s, err := store.New(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, f
}

// large returns an instance with n different pages.
func large(t *testing.T, n int) *instance {
	in := newInstance()
	pages := map[uint32][]byte{}
	for i := range n {
		pages[uint32(i*3)] = page(uint64(i + 1000))
	}
	in.set(t, pages)
	return in
}

// testPortions: a commit of several portions leaves nothing if it fails at any of its writes,
// whether the store goes on or is opened anew. Objects that it shares with an existing version
// stay.
func testPortions(t *testing.T, d Database) {
	s, f := d.faulty(t)
	small := large(t, 100)
	first := small.commit(t, s, "a", 1)
	in := large(t, 3000)
	for _, reopen := range []bool{false, true} {
		for at := 1; ; at++ {
			if at > 20 {
				t.Fatal("it never ends")
			}
			before := f.writes
			f.fail = func(n int) bool { return n >= before+at }
			entries, err := s.Commit(in.change("b", 1))
			if err == nil {
				f.fail = nil
				if at < 3 {
					t.Fatalf("%d writes", at-1)
				}
				same(t, s, entries[0], in.memory)
				if err := s.Prune(entries...); err != nil {
					t.Fatal(err)
				}
				break
			}
			if !errors.As(err, new(*store.BackendError)) || !errors.Is(err, errTold) {
				t.Fatal(err)
			}
			if at > 1 {
				// The leftovers cannot be removed yet, so no commit may build on them.
				if _, err := s.Commit(small.change("c", 1)); !errors.Is(err, errTold) {
					t.Fatal(err)
				}
			}
			f.fail = nil
			if reopen {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				s, f = d.faulty(t)
			}
			clean(t, s)
			same(t, s, first, small.memory)
			if e, err := s.Latest("b"); !errors.As(err, new(*store.NotFoundError)) {
				t.Fatal(e, err)
			}
		}
	}
	if err := s.Prune(first); err != nil {
		t.Fatal(err)
	}
	empty(t, d, s)
}

// testNames: one commit has versions of several names, all or none.
func testNames(t *testing.T, d Database) {
	s, f := d.faulty(t)
	a, b := large(t, 5), large(t, 7)
	long := strings.Repeat("x", 255)
	entries, err := s.Commit(a.change("a", 1), b.change(long, 1), b.change("a", 2), a.change("\x00", 1<<63))
	if err != nil {
		t.Fatal(err)
	}
	same(t, s, entries[0], a.memory)
	same(t, s, entries[1], b.memory)
	same(t, s, entries[2], b.memory)
	same(t, s, entries[3], a.memory)
	for name, want := range map[string]store.Entry{"a": entries[2], long: entries[1], "\x00": entries[3]} {
		if latest, err := s.Latest(name); err != nil || latest != want {
			t.Error(latest, err)
		}
	}
	if _, err := s.Commit(a.change("b", 1), b.change("a", 2)); !errors.As(err, new(*store.SequenceError)) {
		t.Error(err)
	}
	f.fail = func(int) bool { return true }
	if _, err := s.Commit(a.change("b", 1), b.change("a", 3)); !errors.Is(err, errTold) {
		t.Error(err)
	}
	f.fail = nil
	if _, err := s.Latest("b"); !errors.As(err, new(*store.NotFoundError)) {
		t.Error(err)
	}
	if latest, err := s.Latest("a"); err != nil || latest != entries[2] {
		t.Error(latest, err)
	}
	all, err := s.Entries("")
	if err != nil || len(all) != 4 {
		t.Error(all, err)
	}
	clean(t, s)
}

// testRefusals: an impossible request is a typed error, and changes nothing.
func testRefusals(t *testing.T, d Database) {
	s := d.store(t)
	in := large(t, 5)
	e := in.commit(t, s, "a", 5)
	refused := func(why string, err, target error, text string) {
		t.Helper()
		if fmt.Sprintf("%T", err) != fmt.Sprintf("%T", target) || err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %T: %v", why, err, err)
		}
	}
	commit := func(edit func(*store.Change)) error {
		other := large(t, 6)
		c := other.change("a", 6)
		edit(&c)
		_, err := s.Commit(c)
		return err
	}
	sequence, name, pages := &store.SequenceError{}, &store.NameError{}, &store.PageError{}
	refused("the same number", commit(func(c *store.Change) { c.Seq = 5 }), sequence, `version 5 of "a" does not come after the latest, 5`)
	refused("a lower number", commit(func(c *store.Change) { c.Seq = 0 }), sequence, "latest, 5")
	refused("no name", commit(func(c *store.Change) { c.Name = "" }), name, "without a name")
	refused("a long name", commit(func(c *store.Change) { c.Name = strings.Repeat("x", 256) }), name, "256 bytes")
	refused("no Page", commit(func(c *store.Change) { c.Page = nil }), pages, `page 15 of "a"`)
	refused("Page fails", commit(func(c *store.Change) { c.Page = func(uint32) ([]byte, error) { return nil, errTold } }), pages, errTold.Error())
	refused("a short page", commit(func(c *store.Change) { c.Page = func(uint32) ([]byte, error) { return []byte{1}, nil } }), pages, "1 bytes instead of 4096")
	refused("another page", commit(func(c *store.Change) { c.Page = func(uint32) ([]byte, error) { return page(1), nil } }), pages, "not the page that the tree has")
	refused("sections", commit(func(c *store.Change) { c.Sections = []state.Section{{Name: "b"}, {Name: "a"}} }), &state.SectionError{}, `"a" stands behind section "b"`)
	foreign := state.Load(state.Hash{1}, nil)
	refused("a foreign tree", commit(func(c *store.Change) { c.Tree = foreign }), &state.NodeError{}, "no source")

	notFound := &store.NotFoundError{}
	_, err := s.Open("a", 4)
	refused("Open", err, notFound, `no version 4 of "a"`)
	_, err = s.Open("b", 5)
	refused("Open", err, notFound, `no version 5 of "b"`)
	_, err = s.Open("", 5)
	refused("Open", err, name, "without a name")
	_, err = s.Latest("b")
	refused("Latest", err, notFound, `no version of "b"`)
	_, err = s.Latest("")
	refused("Latest", err, name, "without a name")
	refused("Prune", s.Prune(e, store.Entry{Name: "a", Seq: 4}), notFound, `no version 4 of "a"`)
	v, err := s.Open("a", 5)
	if err != nil {
		t.Fatal(err)
	}
	refused("ReadPage", v.ReadPage(0, make([]byte, 4095)), pages, "4095 bytes")
	refused("ReadPage", v.ReadPage(state.Pages, make([]byte, 4096)), &state.PageError{}, "beyond the address space")
	same(t, s, e, in.memory)
	clean(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = s.Commit(in.change("a", 7))
	for op, err := range map[string]error{
		"Commit": err, "Prune": s.Prune(e), "ReadPage": v.ReadPage(0, make([]byte, 4096)), "Check": s.Check(func(error) {}),
	} {
		if !errors.As(err, new(*store.BackendError)) || !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// testWritesFail: commits and prunings whose writes fail change nothing.
func testWritesFail(t *testing.T, d Database) {
	rng := rand.New(rand.NewPCG(8, 1))
	s, f := d.faulty(t)
	in := newInstance()
	kept := map[store.Entry]memory{}
	for seq := range uint64(150) {
		in.set(t, map[uint32][]byte{rng.Uint32N(32): page(rng.Uint64N(9)), rng.Uint32N(32): nil})
		failing := rng.IntN(3) == 0
		f.fail = func(int) bool { return failing }
		if rng.IntN(3) > 0 {
			entries, err := s.Commit(in.change("a", seq))
			if failing != errors.Is(err, errTold) {
				t.Fatal(err)
			}
			if err == nil {
				kept[entries[0]] = in.clone()
			}
		} else {
			for e := range kept {
				err := s.Prune(e)
				if failing != errors.Is(err, errTold) {
					t.Fatal(err)
				}
				if err == nil {
					delete(kept, e)
				}
				break
			}
		}
	}
	clean(t, s)
	entries, err := s.Entries("a")
	if err != nil || len(entries) != len(kept) {
		t.Fatal(len(entries), len(kept), err)
	}
	for e, m := range kept {
		same(t, s, e, m)
	}
}

// two returns the contents of a database with two versions that have most in common.
func two(t *testing.T, d Database) map[store.Entry]memory {
	s := d.store(t)
	in := large(t, 12)
	in.sections["clock"] = []byte("1")
	in.sections["program"] = []byte("x")
	first := in.clone()
	a := in.commit(t, s, "a", 1)
	in.sections["clock"] = []byte("2")
	in.set(t, map[uint32][]byte{3: page(3), 300: page(4), 6: nil})
	b := in.commit(t, s, "a", 2)
	clean(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return map[store.Entry]memory{a: first, b: in.memory}
}

// read reads everything of some versions, checks that no byte is wrong, and returns the errors.
func read(t *testing.T, s *store.Store, want map[store.Entry]memory) (errs []*store.CorruptError) {
	t.Helper()
	failed := func(err error) bool {
		if err == nil {
			return false
		}
		corrupt := new(store.CorruptError)
		if !errors.As(err, &corrupt) {
			t.Fatal(err)
		}
		errs = append(errs, corrupt)
		return true
	}
	for e, m := range want {
		v, err := s.Open(e.Name, e.Seq)
		if failed(err) {
			continue
		}
		if v.Entry() != e {
			t.Fatalf("%v became %v", e, v.Entry())
		}
		for number := range uint32(310) {
			got := page(99)
			if err := v.ReadPage(number, got); failed(err) {
				if !bytes.Equal(got, page(99)) {
					t.Fatalf("bytes were returned with %v", err)
				}
				last := errs[len(errs)-1]
				if last.Entry != e || last.Page >= 0 && last.Page != int64(number) || last.Page >= 0 && last.What != fmt.Sprintf("page %d", number) {
					t.Fatalf("page %d of %v: %v", number, e, last)
				}
				continue
			}
			want := m.pages[number]
			if want == nil {
				want = make([]byte, state.PageSize)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("page %d of %v is wrong", number, e)
			}
		}
		sections, err := v.Sections()
		if failed(err) {
			if !strings.Contains(err.Error(), "section") {
				t.Fatal(err)
			}
			continue
		}
		for _, section := range sections {
			if !bytes.Equal(section.Content, m.sections[section.Name]) {
				t.Fatalf("section %s of %v is wrong", section.Name, e)
			}
		}
	}
	return errs
}

// stored returns all keys and values of a database.
func stored(t *testing.T, b store.Backend) map[string][]byte {
	all := map[string][]byte{}
	for c := 1; c < 256; c++ {
		err := b.Scan([]byte{byte(c)}, false, func(key, value []byte) bool { all[string(key)] = bytes.Clone(value); return true })
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// testDamage flips bits of every stored value, cuts and lengthens it. No wrong byte is returned,
// and reading or checking reports the damage. A commit or pruning that meets it either reports it
// or succeeds.
func testDamage(t *testing.T, d Database) {
	damaged(t, d, func(rng *rand.Rand, value []byte) [][]byte {
		var list [][]byte
		for range 4 {
			flipped := bytes.Clone(value)
			bit := rng.IntN(8 * len(value))
			flipped[bit/8] ^= 1 << (bit % 8)
			list = append(list, flipped)
		}
		return append(list, value[1:], value[:len(value)-1], append(bytes.Clone(value), 0), []byte{})
	}, state.ErrDamaged)
}

// testMissing removes each key in turn.
func testMissing(t *testing.T, d Database) {
	damaged(t, d, func(*rand.Rand, []byte) [][]byte { return [][]byte{nil} }, store.ErrMissing)
}

func damaged(t *testing.T, d Database, wrong func(*rand.Rand, []byte) [][]byte, why error) {
	want := two(t, d)
	rng := rand.New(rand.NewPCG(9, 1))
	b := d.open(t)
	defer b.Close()
	all := stored(t, b)
	kinds := map[byte]int{}
	for key, value := range all {
		kinds[key[0]]++
		for _, damage := range wrong(rng, value) {
			write(t, b, false, store.Write{Key: []byte(key), Value: damage})
			s, err := store.New(b)
			if err != nil {
				t.Fatal(err)
			}
			left := want
			if key[0] == 'v' && damage == nil {
				// Nothing says that there was a version; only a host that knows the root notices.
				left = map[store.Entry]memory{}
				for e, m := range want {
					if _, err := s.Open(e.Name, e.Seq); err == nil {
						left[e] = m
					} else if !errors.As(err, new(*store.NotFoundError)) {
						t.Fatal(err)
					}
				}
				if len(left) != 1 {
					t.Fatal("the other version is gone, too")
				}
			}
			errs := read(t, s, left)
			var found []error
			if err := s.Check(func(err error) { found = append(found, err) }); err != nil {
				t.Fatal(err)
			}
			if len(found) == 0 {
				t.Errorf("Check finds nothing wrong with key %.3q of value %.20q", key, damage)
			}
			if strings.ContainsRune("pns", rune(key[0])) {
				if len(errs) == 0 || !errors.Is(errs[0], why) {
					t.Errorf("reading finds %v with key %.3q", errs, key)
				}
				for _, err := range errs {
					if string(err.Hash[:]) != key[1:] || err.Seq == 0 || err.Root == (state.Hash{}) {
						t.Errorf("error of another object: %v", err)
					}
				}
			}
			if key[0] == 'v' && damage != nil && (len(errs) != 1 || errs[0].What != "the record of the version" || errs[0].Seq == 0) {
				t.Errorf("a damaged record: %v", errs)
			}
			// Other operations either refuse or succeed.
			in := large(t, 11)
			if entries, err := s.Commit(in.change("a", 3)); err == nil {
				err = s.Prune(entries...)
				if err != nil && !errors.As(err, new(*store.CorruptError)) {
					t.Error(err)
				}
			} else if !errors.As(err, new(*store.CorruptError)) {
				t.Error(err)
			}
			for e := range want {
				if err := s.Prune(e); err != nil && !errors.As(err, new(*store.CorruptError)) && !errors.As(err, new(*store.NotFoundError)) {
					t.Error(err)
				}
			}
			restore(t, b, all)
		}
	}
	if kinds['p'] < 12 || kinds['n'] < 15 || kinds['s'] != 3 || kinds['v'] != 2 || kinds['c'] < 3 {
		t.Fatalf("not all kinds of keys were there: %v", kinds)
	}
	s, err := store.New(b)
	if err != nil {
		t.Fatal(err)
	}
	clean(t, s)
}

// restore gives a database its earlier content.
func restore(t *testing.T, b store.Backend, all map[string][]byte) {
	var writes []store.Write
	for key := range stored(t, b) {
		if _, ok := all[key]; !ok {
			writes = append(writes, store.Write{Key: []byte(key)})
		}
	}
	for key, value := range all {
		writes = append(writes, store.Write{Key: []byte(key), Value: value})
	}
	write(t, b, false, writes...)
}

// testPruned: reading a version that was pruned meanwhile says so, and does not blame the database.
func testPruned(t *testing.T, d Database) {
	s := d.store(t)
	in := large(t, 50)
	in.sections["clock"] = []byte("1")
	e := in.commit(t, s, "a", 1)
	in.set(t, map[uint32][]byte{0: page(5)})
	in.sections["clock"] = []byte("2")
	after := in.commit(t, s, "a", 2)
	v, err := s.Open("a", 1)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Open("a", 1)
	if err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, state.PageSize)
	if err := w.ReadPage(0, buffer); err != nil {
		t.Fatal(err)
	}
	if err := s.Prune(e); err != nil {
		t.Fatal(err)
	}
	_, sections := v.Sections()
	for what, err := range map[string]error{
		"a node": v.ReadPage(0, buffer), "a page": w.ReadPage(0, buffer), "a section": sections, "Pages": v.Pages(func(uint32) bool { return true }),
	} {
		notFound := new(store.NotFoundError)
		if !errors.As(err, &notFound) || notFound.Name != "a" || notFound.Seq != 1 {
			t.Errorf("%s: %v", what, err)
		}
	}
	// Nodes that were read, and pages that the next version shares, still exist.
	if err := w.ReadPage(3, buffer); err != nil || !bytes.Equal(buffer, in.pages[3]) {
		t.Error(err)
	}
	// The latest version may be removed, and its number used again.
	if err := s.Prune(after); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Latest("a"); !errors.As(err, new(*store.NotFoundError)) {
		t.Error(err)
	}
	in.commit(t, s, "a", 2)
	clean(t, s)
}

// testParallel: several goroutines commit, read and prune.
func testParallel(t *testing.T, d Database) {
	s := d.store(t)
	base := large(t, 40)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			name := fmt.Sprint("n", i)
			in := &instance{base.clone(), base.tree}
			for seq := range uint64(12) {
				in.set(t, map[uint32][]byte{uint32(seq): page(seq % 5), uint32(i + 200): page(seq)})
				e := in.commit(t, s, name, seq)
				same(t, s, e, in.memory)
				if seq%3 == 2 {
					if err := s.Prune(store.Entry{Name: name, Seq: seq - 1}, store.Entry{Name: name, Seq: seq - 2}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	clean(t, s)
}
