package gyr_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/state"
)

// A forgery is a state that nobody has made, with the root that it has.
type forgery struct {
	tree     state.Tree
	sections []state.Section
	pages    map[uint32][]byte
}

func (f *forgery) Tree() state.Tree                   { return f.tree }
func (f *forgery) Sections() ([]state.Section, error) { return f.sections, nil }

func (f *forgery) ReadPage(number uint32, into []byte) error {
	clear(into)
	copy(into, f.pages[number])
	return nil
}

// root makes the tree of the pages and returns the root.
func (f *forgery) root(t *testing.T) state.Hash {
	t.Helper()
	f.tree = state.Tree{}
	var list []state.Page
	for n, b := range f.pages {
		list = append(list, state.Page{Number: n, Content: b})
	}
	slices.SortFunc(list, func(a, b state.Page) int { return int(a.Number) - int(b.Number) })
	if err := f.tree.Update(list); err != nil {
		t.Fatal(err)
	}
	hashes, err := state.HashSections(f.sections)
	if err != nil {
		t.Fatal(err)
	}
	return state.Root(f.tree.Hash(), hashes)
}

// TestForgedUpgrades: a host that vouches for a root which is that of nonsense gets an error, or an instance that does nonsense inside of its sandbox, in both tiers. With the root of the true state
// every forgery is refused.
func TestForgedUpgrades(t *testing.T) {
	ctx := t.Context()
	one := compileVersion(t, nil, versionOne)
	two := compileVersion(t, one, changedFunctions(t))
	in := newInstance(t, one, gyr.Config{})
	for _, name := range []string{"ada", "bob", "cid"} {
		do(t, in, "Open", name)
		do(t, in, "Pay", name, 10)
	}
	do(t, in, "Keep", 5)
	s, err := in.State(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var numbers []uint32
	pages := map[uint32][]byte{}
	state.Diff(&state.Tree{}, &s.Tree, func(n uint32) bool {
		b, err := s.Page(n)
		if err != nil {
			t.Fatal(err)
		}
		if b != nil {
			numbers, pages[n] = append(numbers, n), slices.Clone(b)
		}
		return true
	})
	rounds := 60
	if testing.Short() {
		rounds = 20
	}
	r := rand.New(rand.NewPCG(8, 9))
	made := 0
	for round := range rounds {
		f := &forgery{sections: slices.Clone(s.Sections), pages: map[uint32][]byte{}}
		for n, b := range pages {
			f.pages[n] = b
		}
		for range 1 + r.IntN(200) { // words in pages: addresses of the data, of the heap, numbers, anything
			n := numbers[r.IntN(len(numbers))]
			b := slices.Clone(f.pages[n])
			at := r.IntN(len(b)/8) * 8
			v := []uint64{r.Uint64(), uint64(r.IntN(1 << 22)), uint64(r.IntN(1 << 14)), 1 << 40, 0}[r.IntN(5)]
			for i := range 8 {
				b[at+i] = byte(v >> (8 * i))
			}
			f.pages[n] = b
		}
		if round%2 == 0 {
			i := r.IntN(len(f.sections))
			b := slices.Clone(f.sections[i].Content)
			switch name := f.sections[i].Name; {
			case name == "types":
				b = []byte([]string{"", "\n\t\n\tx", "type ", "var [[[ \ntype x\n\t", "type a struct\n\tF\ntype a struct", string(b[:len(b)/2])}[r.IntN(6)])
			case name != "program" && len(b) > 0:
				b[r.IntN(len(b))] ^= 1 << r.IntN(8)
			}
			f.sections[i].Content = b
		}
		root := f.root(t)
		if up, err := two.Upgrade(ctx, gyr.Config{}, s.Root, f); err == nil && root != s.Root {
			up.Close()
			t.Fatalf("round %d: a forgery was taken for the state", round)
		}
		for _, tier := range tiers() {
			up, err := two.Upgrade(ctx, gyr.Config{Tier: tier, Gas: 200_000_000}, root, f)
			if errors.As(err, new(*gyr.InternalError)) {
				t.Fatalf("round %d, %s: %v", round, tier, err)
			}
			two.Restore(ctx, gyr.Config{Tier: tier}, root, f) // says what differs
			if err != nil {
				continue
			}
			made++
			for _, name := range []string{"Report", "Later", "Zero", "Held"} {
				if _, err := up.Call(ctx, name); errors.As(err, new(*gyr.InternalError)) {
					t.Errorf("round %d, %s: %s: %v", round, tier, name, err)
				}
			}
			up.Close()
		}
	}
	t.Log(made, "instances of forgeries")
}
