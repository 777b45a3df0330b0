package state

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
)

// fileState is a random state.
type fileState struct {
	tree     Tree
	pages    map[uint32][]byte
	sections []Section
}

func (s *fileState) page(n uint32) ([]byte, error) { return s.pages[n], nil }

func (s *fileState) change(t *testing.T, r *rand.Rand, n int) {
	var list []Page
	for range n {
		p := Page{Number: r.Uint32N(300)}
		if r.IntN(8) == 0 {
			p.Number = r.Uint32N(Pages)
		}
		if r.IntN(5) > 0 {
			p.Content = make([]byte, PageSize)
			p.Content[r.IntN(PageSize)] = byte(1 + r.IntN(255))
		}
		if !slices.ContainsFunc(list, func(q Page) bool { return q.Number == p.Number }) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b Page) int { return int(a.Number) - int(b.Number) })
	if err := s.tree.Update(list); err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if delete(s.pages, p.Number); p.Content != nil {
			s.pages[p.Number] = p.Content
		}
	}
	s.sections = []Section{{"a", []byte{byte(r.IntN(256))}}, {"b", nil}, {"clock", make([]byte, r.IntN(100))}}
}

func (s *fileState) write(t *testing.T, base *Tree) []byte {
	var b bytes.Buffer
	if err := Write(&b, base, &s.tree, s.sections, s.page); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestFile writes random states, whole and as the difference from an earlier one, reads them, and
// compares everything.
func TestFile(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s := &fileState{pages: map[uint32][]byte{}}
	var base *File
	for round := range 60 {
		var from *Tree
		if base != nil && r.IntN(4) > 0 {
			tree := base.Tree()
			from = &tree
		} else {
			base = nil
		}
		s.change(t, r, r.IntN(40))
		b := s.write(t, from)
		if again := s.write(t, from); !bytes.Equal(b, again) {
			t.Fatal("two files of one state differ")
		}
		f, err := Read(bytes.NewReader(b), base)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		hashes, _ := HashSections(s.sections)
		tree := f.Tree()
		if f.Root() != Root(s.tree.Hash(), hashes) || tree.Hash() != s.tree.Hash() {
			t.Fatalf("round %d: another root", round)
		}
		sections, _ := f.Sections()
		if !slices.EqualFunc(sections, s.sections, func(a, b Section) bool { return a.Name == b.Name && bytes.Equal(a.Content, b.Content) }) {
			t.Fatalf("round %d: sections %v, want %v", round, sections, s.sections)
		}
		into := make([]byte, PageSize)
		for n := range uint32(300) {
			if err := f.ReadPage(n, into); err != nil {
				t.Fatal(err)
			}
			if want := s.pages[n]; want == nil && !isZero(into) || want != nil && !bytes.Equal(into, want) {
				t.Fatalf("round %d: page %d", round, n)
			}
		}
		base = f
	}
}

// TestFileDamage: a file with a bit flipped, cut short, longer or on another base is refused.
func TestFileDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	s := &fileState{pages: map[uint32][]byte{}}
	s.change(t, r, 30)
	whole := s.write(t, nil)
	base, err := Read(bytes.NewReader(whole), nil)
	if err != nil {
		t.Fatal(err)
	}
	was := s.tree
	s.change(t, r, 5)
	next := s.write(t, &was)
	refuse := func(what string, b []byte, base *File) {
		t.Helper()
		var wrong *FileError
		if f, err := Read(bytes.NewReader(b), base); f != nil || !errors.As(err, &wrong) {
			t.Fatalf("%s: %v", what, err)
		}
	}
	refuse("without its base", next, nil)
	refuse("whole, with a base", whole, base)
	refuse("longer", append(slices.Clone(whole), 0), nil)
	for i := range next {
		if i > 400 && i%97 != 0 {
			continue
		}
		for bit := range 8 {
			b := slices.Clone(next)
			b[i] ^= 1 << bit
			refuse("flipped", b, base)
		}
		refuse("cut", next[:i], base)
	}
	failing := errors.New("x")
	var wrong *PageError
	if err := Write(io.Discard, nil, &s.tree, s.sections, func(uint32) ([]byte, error) { return nil, failing }); !errors.As(err, &wrong) || !errors.Is(err, failing) {
		t.Errorf("Write: %v", err)
	}
}

//fuzz:runs 20000
func FuzzFile(f *testing.F) {
	s := &fileState{pages: map[uint32][]byte{}}
	var b bytes.Buffer
	if err := Write(&b, nil, &s.tree, []Section{{"a", []byte("x")}}, s.page); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := Read(bytes.NewReader(b), nil)
		if err != nil {
			return
		}
		var out bytes.Buffer
		tree := x.Tree()
		sections, _ := x.Sections()
		page := func(n uint32) ([]byte, error) {
			into := make([]byte, PageSize)
			return into, x.ReadPage(n, into)
		}
		if err := Write(&out, nil, &tree, sections, page); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&out, nil)
		if err != nil || again.Root() != x.Root() {
			t.Fatalf("written again: %v", err)
		}
	})
}
