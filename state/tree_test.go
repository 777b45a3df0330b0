package state

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// plain returns the hash of a tree over all nonzero pages, straight from the definition in the
// package comment.
func plain(pages map[uint32][]byte) Hash {
	hashes := map[uint32]Hash{}
	for number, content := range pages {
		hashes[number] = sha256.Sum256(append([]byte{0}, content...))
	}
	zero := Hash(sha256.Sum256(make([]byte, 1+4096)))
	for range 10 {
		above := map[uint32]Hash{}
		hash := func(index uint32) Hash {
			b := []byte{1}
			for i := range uint32(4) {
				h, ok := hashes[4*index+i]
				if !ok {
					h = zero
				}
				b = append(b, h[:]...)
			}
			return sha256.Sum256(b)
		}
		for index := range hashes {
			if _, ok := above[index/4]; !ok {
				above[index/4] = hash(index / 4)
			}
		}
		clear(hashes)
		zero = hash(0)
		hashes = above
	}
	if h, ok := hashes[0]; ok {
		return h
	}
	return zero
}

// pagesOf returns pages in the order that Update takes.
func pagesOf(contents map[uint32][]byte) (pages []Page) {
	for _, number := range slices.Sorted(maps.Keys(contents)) {
		pages = append(pages, Page{number, contents[number]})
	}
	return pages
}

func filled(b byte) []byte { return bytes.Repeat([]byte{b}, PageSize) }

// nodes is a Source with the nodes of the trees that were put into it.
type nodes map[Hash][Fanout]Hash

func (n nodes) Node(hash Hash) ([Fanout]Hash, error) {
	parts, ok := n[hash]
	if !ok {
		return parts, errors.New("no such node")
	}
	return parts, nil
}

func (n nodes) put(t *testing.T, tree *Tree) {
	t.Helper()
	err := tree.Walk(new(Tree), func(at Node) (bool, error) {
		_, known := n[at.Hash]
		return !known, nil
	}, func(at Node, parts *[Fanout]Hash) error {
		n[at.Hash] = *parts
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func set(t *testing.T, tree *Tree, pages ...Page) {
	t.Helper()
	if err := tree.Update(pages); err != nil {
		t.Fatal(err)
	}
}

// TestHashes holds the hashes that every implementation must compute: they never change, or no old
// root can be checked.
func TestHashes(t *testing.T) {
	var tree Tree
	want := func(got Hash, want string) {
		t.Helper()
		if got.String() != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
	want(tree.Hash(), plain(nil).String())
	want(tree.Hash(), emptyTree)
	set(t, &tree, Page{0, filled(1)}, Page{0x12345, filled(2)}, Page{Pages - 1, filled(3)})
	want(tree.Hash(), plain(map[uint32][]byte{0: filled(1), 0x12345: filled(2), Pages - 1: filled(3)}).String())
	want(tree.Hash(), threePages)
	sections, err := HashSections([]Section{{"clock", nil}, {"program", []byte("x")}})
	if err != nil {
		t.Fatal(err)
	}
	want(Root(tree.Hash(), sections), rootWithTwo)
	want(Root(tree.Hash(), nil), rootWithNone)
	if h, err := ParseHash(threePages); err != nil || h != tree.Hash() {
		t.Error(h, err)
	}
	for _, text := range []string{"", threePages[1:], threePages + "00", "x" + threePages[1:]} {
		if _, err := ParseHash(text); err == nil {
			t.Errorf("%q is a hash", text)
		}
	}
}

// These come from another implementation of the package comment, in Python.
const (
	emptyTree    = "f5417d37e84848711852c38f211e4eeed50f5ff9098f6652fcbff1762349dfcc"
	threePages   = "bce4e3a5e8317686aebb22d3d84c3222e06224f010cb83f33e90483c5fa0fb95"
	rootWithTwo  = "d4ef65751859d6780a38fd797ab69cb920a46f4422fbc92d7e45d3afe470ad61"
	rootWithNone = "502a011be790d74102f718e727953f45a96c6c87accb3ac9d49f38c4ad656517"
)

// TestKindsOfHashes shows that data hashed as one kind has another hash as any other kind.
func TestKindsOfHashes(t *testing.T) {
	parts := [Fanout]Hash{{1}, {2}, {3}, {4}}
	var asBytes []byte
	for _, h := range parts {
		asBytes = append(asBytes, h[:]...)
	}
	page := filled(7)
	if HashNode(&parts) == HashSection(asBytes) || HashPage(page) == HashSection(page) {
		t.Error("a section has the hash of something else")
	}
	// A section whose name swallows the next section.
	a, b := SectionHash{"a", Hash{1}}, SectionHash{"b", Hash{2}}
	swallowing := SectionHash{"a" + string(a.Hash[:]) + "\x01b", b.Hash}
	if Root(Hash{}, []SectionHash{a, b}) == Root(Hash{}, []SectionHash{swallowing}) {
		t.Error("two lists of sections have one root")
	}
	if Root(Hash{1}, nil) == Root(Hash{}, nil) || Root(Hash{}, []SectionHash{a}) == Root(Hash{}, []SectionHash{{"a", Hash{2}}}) || Root(Hash{}, []SectionHash{a}) == Root(Hash{}, []SectionHash{{"b", Hash{1}}}) {
		t.Error("the root does not depend on all that it covers")
	}
}

// TestSectionsInOrder refuses lists of sections in an order that is not unique.
func TestSectionsInOrder(t *testing.T) {
	for _, names := range [][]string{{""}, {"b", "a"}, {"a", "a"}, {"", "a"}, {"a", ""}} {
		var sections []Section
		for _, name := range names {
			sections = append(sections, Section{Name: name})
		}
		if _, err := HashSections(sections); !errors.As(err, new(*SectionError)) {
			t.Errorf("%q: %v", names, err)
		}
	}
}

// TestUpdateRefuses shows that wrong pages give errors and leave the tree as before.
func TestUpdateRefuses(t *testing.T) {
	var tree Tree
	set(t, &tree, Page{5, filled(5)})
	before := tree
	for name, pages := range map[string][]Page{
		"beyond":     {{1, filled(1)}, {Pages, filled(1)}},
		"short":      {{1, filled(1)}, {2, filled(1)[1:]}},
		"empty":      {{1, []byte{}}},
		"descending": {{2, filled(1)}, {1, filled(1)}},
		"twice":      {{2, filled(1)}, {2, filled(1)}},
	} {
		var page *PageError
		if err := tree.Update(pages); !errors.As(err, &page) || page.Number != pages[len(pages)-1].Number {
			t.Errorf("%s: %v", name, err)
		}
		if tree != before {
			t.Errorf("%s: the tree has changed", name)
		}
	}
	if err := tree.Update(nil); err != nil || tree != before {
		t.Error("no pages:", err)
	}
	if _, err := tree.Page(Pages); !errors.As(err, new(*PageError)) {
		t.Error(err)
	}
	if _, err := tree.Prove(Pages, nil); !errors.As(err, new(*PageError)) {
		t.Error(err)
	}
}

// TestZerosAreNothing: a tree whose pages have all become zeros again equals the empty one, in
// memory too.
func TestZerosAreNothing(t *testing.T) {
	var tree Tree
	set(t, &tree, Page{1, filled(1)}, Page{1 << 19, filled(2)})
	set(t, &tree, Page{1, nil}, Page{1 << 19, make([]byte, PageSize)})
	if tree.Hash() != new(Tree).Hash() || tree.top != nil {
		t.Error(tree)
	}
	almost := make([]byte, PageSize)
	for _, at := range []int{0, 1, PageSize / 2, PageSize - 1} {
		almost[at] = 1
		if isZero(almost) {
			t.Errorf("a page with a byte at %d is of zeros", at)
		}
		almost[at] = 0
	}
}

// TestSharedNodes: an update makes new nodes only on the paths of its pages.
func TestSharedNodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var tree Tree
	set(t, &tree, touched(rng, 1000, 4096)...)
	old := nodes{}
	old.put(t, &tree)
	before := len(old)
	after := tree
	set(t, &after, Page{17, filled(9)}, Page{4000, filled(9)})
	old.put(t, &after)
	// The pages are below two parts of a node of level 6 (4^6 pages), so the levels above are
	// common.
	if got := len(old) - before; got != 5+5+5 {
		t.Errorf("%d new nodes", got)
	}
}

// TestLoadedTrees: a tree whose nodes are read on demand behaves as one in memory, keeps the nodes
// that it has read, and leaves copies unchanged.
func TestLoadedTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	var tree Tree
	set(t, &tree, touched(rng, 300, 1<<14)...)
	stored := nodes{}
	stored.put(t, &tree)
	counting := &counted{nodes: stored}
	loaded := Load(tree.Hash(), counting)
	untouched := loaded
	for page := range uint32(1 << 14) {
		got, err := loaded.Page(page)
		want, err2 := tree.Page(page)
		if got != want || err != nil || err2 != nil {
			t.Fatal(page, got, want, err, err2)
		}
	}
	if counting.calls != len(stored) {
		t.Errorf("%d nodes read, there are %d", counting.calls, len(stored))
	}
	if untouched.top != nil {
		t.Error("reading has changed a copy")
	}
	partly := untouched
	if _, err := partly.Page(0); err != nil {
		t.Fatal(err)
	}
	top := *partly.top
	whole := partly
	if _, err := whole.Page(1<<14 - 1); err != nil || *partly.top != top || *whole.top == top {
		t.Error("reading has changed a node of a copy:", err)
	}
	more := touched(rng, 20, Pages)
	other := untouched
	set(t, &tree, more...)
	set(t, &loaded, more...)
	set(t, &other, more...)
	if loaded.Hash() != tree.Hash() || other.Hash() != tree.Hash() {
		t.Error("updates of a loaded tree differ")
	}
}

type counted struct {
	nodes
	calls  int
	failAt int // the call that fails; 0: none
	damage bool
}

var errTest = errors.New("told to fail")

func (c *counted) Node(hash Hash) ([Fanout]Hash, error) {
	c.calls++
	parts, err := c.nodes.Node(hash)
	if c.calls == c.failAt {
		if c.damage {
			parts[3][31] ^= 1
		} else {
			err = errTest
		}
	}
	return parts, err
}

// TestSourceFails makes each read of a source fail in turn, or return a node with a flipped bit.
func TestSourceFails(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var tree, small Tree
	pages := touched(rng, 100, 1<<12)
	set(t, &tree, pages...)
	set(t, &small, Page{1, filled(1)})
	stored := nodes{}
	stored.put(t, &tree)
	more := []Page{{pages[7].Number, filled(1)}, {pages[50].Number, filled(1)}}
	for name, do := range map[string]func(*Tree) error{
		"Update": func(l *Tree) error { return l.Update(more) },
		"Page":   func(l *Tree) error { _, err := l.Page(more[0].Number); return err },
		"Prove":  func(l *Tree) error { _, err := l.Prove(more[0].Number, nil); return err },
		"Diff":   func(l *Tree) error { return Diff(l, &small, func(uint32) bool { return true }) },
		"Diff'":  func(l *Tree) error { return Diff(&small, l, func(uint32) bool { return true }) },
		"Walk": func(l *Tree) error {
			return l.Walk(&small, func(Node) (bool, error) { return true, nil }, func(Node, *[Fanout]Hash) error { return nil })
		},
	} {
		for _, damage := range []bool{false, true} {
			failed := 0
			for at := 1; ; at++ {
				source := &counted{nodes: stored, failAt: at, damage: damage}
				loaded := Load(tree.Hash(), source)
				before := loaded
				err := do(&loaded)
				if err == nil {
					break
				}
				failed++
				var node *NodeError
				if !errors.As(err, &node) || damage != errors.Is(err, ErrDamaged) || damage == errors.Is(err, errTest) {
					t.Fatalf("%s: %v", name, err)
				}
				if loaded != before {
					t.Errorf("%s: the tree has changed by an error", name)
				}
			}
			if failed < Levels {
				t.Errorf("%s: only %d reads", name, failed)
			}
		}
	}
	orphan := Load(tree.Hash(), nil)
	if _, err := orphan.Page(1); !errors.As(err, new(*NodeError)) {
		t.Error(err)
	}
}

// TestWalkEnds: an error of a visitor ends a walk, and Diff ends when its callback returns false.
func TestWalkEnds(t *testing.T) {
	var tree Tree
	set(t, &tree, Page{1, filled(1)}, Page{2, filled(1)}, Page{1 << 18, filled(1)})
	calls := 0
	err := tree.Walk(new(Tree), func(Node) (bool, error) {
		if calls++; calls == 3 {
			return true, errTest
		}
		return true, nil
	}, func(Node, *[Fanout]Hash) error { return nil })
	if err != errTest || calls != 3 {
		t.Error(calls, err)
	}
	if err := tree.Walk(new(Tree), func(Node) (bool, error) { return true, nil }, func(Node, *[Fanout]Hash) error { return errTest }); err != errTest {
		t.Error(err)
	}
	var pages []uint32
	if err := Diff(&tree, new(Tree), func(page uint32) bool { pages = append(pages, page); return len(pages) < 2 }); err != nil || !slices.Equal(pages, []uint32{1, 2}) {
		t.Error(pages, err)
	}
}

// TestWalkCompares: a walk reports where another tree, not necessarily in memory, is the same, and
// goes on where that tree cannot be read.
func TestWalkCompares(t *testing.T) {
	var old Tree
	set(t, &old, Page{1, filled(1)}, Page{2, filled(2)}, Page{100, filled(3)}, Page{1 << 19, filled(4)})
	stored := nodes{}
	stored.put(t, &old)
	tree := old
	set(t, &tree, Page{2, filled(9)}, Page{101, filled(9)}, Page{1 << 19, nil})
	for name, base := range map[string]Tree{"in memory": old, "stored": Load(old.Hash(), stored), "lost": Load(old.Hash(), nodes{})} {
		same, pages := 0, map[uint32]bool{}
		err := tree.Walk(&base, func(n Node) (bool, error) {
			if n.Level == 0 {
				pages[n.Index] = n.Same
			}
			if n.Same {
				same++
			}
			return !n.Same, nil
		}, func(Node, *[Fanout]Hash) error { return nil })
		want := map[uint32]bool{1: true, 2: false, 100: true, 101: false}
		if name == "lost" {
			want[1], want[100] = false, false
		}
		if err != nil || !maps.Equal(pages, want) || same != map[bool]int{false: 2, true: 0}[name == "lost"] {
			t.Errorf("%s: %v, %d, %v", name, pages, same, err)
		}
	}
}

// FuzzTree does what its input says with some trees, and compares each with one that is computed
// anew from the pages that it should have.
//
//fuzz:runs 1000
func FuzzTree(f *testing.F) {
	f.Add([]byte{1, 0, 0, 1, 1, 2, 3, 9, 5, 1, 2, 3, 0, 3})
	f.Add([]byte("1abc2abd3abe8899aabbccddeeff"))
	f.Fuzz(func(t *testing.T, ops []byte) {
		type version struct {
			tree  Tree
			pages map[uint32][]byte
		}
		next := func() (b byte) {
			if len(ops) > 0 {
				b, ops = ops[0], ops[1:]
			}
			return b
		}
		stored := nodes{}
		var versions [4]version
		for i := range versions {
			versions[i].pages = map[uint32][]byte{}
		}
		for len(ops) > 0 {
			op := next()
			v := &versions[op&3]
			other := &versions[op>>2&3]
			switch op >> 4 & 7 {
			default: // some pages, near each other or all over the address space
				some := map[uint32][]byte{}
				for range 1 + op>>5&3 {
					number := uint32(next())<<12&(Pages-1) | uint32(next())>>4<<4 | uint32(next()&15)
					if content := next() & 3; content == 0 {
						some[number] = nil
						delete(v.pages, number)
					} else {
						some[number] = filled(content)
						v.pages[number] = some[number]
					}
				}
				set(t, &v.tree, pagesOf(some)...)
			case 5: // a snapshot, or a rollback
				*v = version{other.tree, maps.Clone(other.pages)}
			case 6: // stored and opened
				stored.put(t, &v.tree)
				v.tree = Load(v.tree.Hash(), stored)
			case 7:
				var got, want []uint32
				if err := Diff(&v.tree, &other.tree, func(page uint32) bool { got = append(got, page); return true }); err != nil {
					t.Fatal(err)
				}
				for number := range maps.Keys(merged(v.pages, other.pages)) {
					if !bytes.Equal(v.pages[number], other.pages[number]) {
						want = append(want, number)
					}
				}
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Fatalf("trees differ in %v, want %v", got, want)
				}
			}
		}
		for i := range versions {
			v := &versions[i]
			if got, want := v.tree.Hash(), plain(v.pages); got != want {
				t.Fatalf("tree %d: %v, want %v", i, got, want)
			}
			root := Root(v.tree.Hash(), nil)
			for number, content := range v.pages {
				proof, err := v.tree.Prove(number, nil)
				if err != nil || !Verify(root, number, content, proof) {
					t.Fatalf("tree %d: page %d is not proved: %v", i, number, err)
				}
			}
		}
	})
}

func merged(a, b map[uint32][]byte) map[uint32][]byte {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}
