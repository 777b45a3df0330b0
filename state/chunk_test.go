package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// aState returns a state with pages of every kind.
func aState(t testing.TB, seed uint64, n int) (Tree, []Section, map[uint32][]byte) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 9))
	contents := map[uint32][]byte{}
	var tree Tree
	for range n {
		b := make([]byte, PageSize)
		switch rnd.IntN(4) {
		case 0:
			for i := range b {
				b[i] = byte(rnd.Uint32())
			}
		case 1:
			b[rnd.IntN(PageSize)] = 1
		case 2:
			for range 1 + rnd.IntN(300) {
				b[rnd.IntN(PageSize)] = byte(rnd.Uint32())
			}
			b[5] = 1
		case 3:
			for i := 0; i < PageSize; i += 16 {
				binary.LittleEndian.PutUint64(b[i:], rnd.Uint64()|1)
			}
		}
		number := uint32(rnd.IntN(1 << (4 + rnd.IntN(16))))
		if rnd.IntN(20) == 0 {
			number = Pages - 1 - number
		}
		contents[number] = b
		if err := tree.Update([]Page{{number, b}}); err != nil {
			t.Fatal(err)
		}
	}
	return tree, []Section{{"a", []byte("first")}, {"b", nil}, {"c", bytes.Repeat([]byte("x"), 1000)}}, contents
}

func chunksOf(t testing.TB, tree *Tree, sections []Section, contents map[uint32][]byte, size int) (list [][]byte) {
	t.Helper()
	err := WriteChunks(tree, sections, size, func(n uint32) ([]byte, error) { return contents[n], nil }, func(b []byte) error {
		list = append(list, b)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestChunks: a state goes through chunks of any size in any order, and every one is checked alone.
func TestChunks(t *testing.T) {
	for seed := range uint64(6) {
		tree, sections, contents := aState(t, seed, int(seed*seed)*7)
		hashes, err := HashSections(sections)
		if err != nil {
			t.Fatal(err)
		}
		root := Root(tree.Hash(), hashes)
		for _, size := range []int{1, 5000, 1 << 20} {
			list := chunksOf(t, &tree, sections, contents, size)
			if size == 1 && len(list) < len(contents) {
				t.Errorf("%d chunks of %d pages", len(list), len(contents))
			}
			rnd := rand.New(rand.NewPCG(seed, 1))
			rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			c := NewChunks(root)
			for i, b := range list {
				if _, _, any := c.Missing(); !any {
					t.Error("nothing is missing")
				}
				if _, err := c.File(); err == nil {
					t.Error("a file before all chunks")
				}
				if err := c.Add(b); err != nil {
					t.Fatalf("seed %d, size %d, chunk %d: %v", seed, size, i, err)
				}
				if err := c.Add(b); err != nil {
					t.Errorf("again: %v", err)
				}
			}
			f, err := c.File()
			if err != nil {
				t.Fatal(err)
			}
			if f.Root() != root || f.tree.Hash() != tree.Hash() || len(f.pages) != len(contents) {
				t.Errorf("%v, %v, %d pages", f.Root(), f.tree.Hash(), len(f.pages))
			}
			for n, want := range contents {
				if b := f.pages[n]; b == nil || !bytes.Equal(b[:], want) {
					t.Errorf("page %d differs", n)
				}
			}
			got, _ := f.Sections()
			if fmt.Sprint(got) != fmt.Sprint(sections) {
				t.Errorf("%v", got)
			}
		}
	}
}

// TestChunkDamaged: every changed, lost or added byte of a chunk is found, as is a chunk of another state.
func TestChunkDamaged(t *testing.T) {
	tree, sections, contents := aState(t, 3, 40)
	hashes, _ := HashSections(sections)
	root := Root(tree.Hash(), hashes)
	rnd := rand.New(rand.NewPCG(1, 2))
	for k, good := range chunksOf(t, &tree, sections, contents, 20_000) {
		try := func(what string, b []byte) {
			t.Helper()
			c := NewChunks(root)
			err := c.Add(b)
			var wrong *FileError
			if !errors.As(err, &wrong) {
				t.Errorf("chunk %d, %s: %v", k, what, err)
			}
			if first, end, any := c.Missing(); first != 0 || end != Pages || !any {
				t.Errorf("chunk %d, %s: it counts", k, what)
			}
		}
		for range 2000 {
			b := bytes.Clone(good)
			i := rnd.IntN(len(b))
			if rnd.IntN(3) == 0 {
				i = rnd.IntN(min(len(b), 150))
			}
			b[i] ^= 1 << rnd.IntN(8)
			try(fmt.Sprint("byte ", i), b)
		}
		for range 200 {
			i := rnd.IntN(len(good))
			try(fmt.Sprint("cut at ", i), good[:i])
			try(fmt.Sprint("one more at ", i), append(append(bytes.Clone(good[:i]), byte(rnd.Uint32())), good[i:]...))
		}
		other := root
		other[3]++
		if err := NewChunks(other).Add(good); !errors.Is(err, errOtherState) || !strings.Contains(err.Error(), root.String()) {
			t.Errorf("%v", err)
		}
	}
}

// TestOldFiles: a file of version 1 is read, and both versions give the same state.
func TestOldFiles(t *testing.T) {
	tree, sections, contents := aState(t, 4, 30)
	page := func(n uint32) ([]byte, error) { return contents[n], nil }
	var now bytes.Buffer
	if err := Write(&now, nil, &tree, sections, page); err != nil {
		t.Fatal(err)
	}
	f, err := Read(bytes.NewReader(now.Bytes()), nil)
	if err != nil {
		t.Fatal(err)
	}
	old := []byte(fileMagic1)
	var none Tree
	root, from := f.Root(), none.Hash()
	old = append(append(old, root[:]...), from[:]...)
	old = appendSections(old, sections)
	last := int64(-1)
	if err := Diff(&none, &tree, func(n uint32) bool {
		old = binary.AppendUvarint(old, uint64(int64(n)-last))
		last = int64(n)
		old = append(append(old, kindPlain), contents[n]...)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	old = append(old, 0)
	g, err := Read(bytes.NewReader(old), nil)
	if err != nil {
		t.Fatal(err)
	}
	if f.Root() != g.Root() || f.tree.Hash() != g.tree.Hash() || len(f.pages) != len(g.pages) || now.Len() >= len(old) {
		t.Errorf("%v %v, %d and %d bytes", f.Root(), g.Root(), now.Len(), len(old))
	}
	coded := bytes.Replace(now.Bytes(), []byte(fileMagic), []byte(fileMagic1), 1)
	if _, err := Read(bytes.NewReader(coded), nil); err == nil {
		t.Error("codes in a file of version 1")
	}
	plain := bytes.Replace(old, []byte(fileMagic1), []byte(fileMagic), 1)
	if _, err := Read(bytes.NewReader(plain), nil); err == nil {
		t.Error("pages in full in a file of version 2")
	}
}

// FuzzChunk: whatever the bytes, a chunk is refused or is the state's.
//
//fuzz:runs 20000
func FuzzChunk(f *testing.F) {
	tree, sections, contents := aState(f, 2, 12)
	hashes, _ := HashSections(sections)
	root := Root(tree.Hash(), hashes)
	for _, b := range chunksOf(f, &tree, sections, contents, 10_000) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c := NewChunks(root)
		if c.Add(b) != nil {
			return
		}
		for n, p := range c.file.pages {
			if !bytes.Equal(p[:], contents[n]) {
				t.Errorf("page %d is another one", n)
			}
		}
	})
}
