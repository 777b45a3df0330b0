package image

import (
	"errors"
	"slices"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
)

// linesModule returns a module with n sites and positions more than its base, if it has one.
func linesModule(base *ir.Module, n int) *ir.Module {
	m := &ir.Module{Base: base, Sites: make([]ir.Site, 1), Pos: make([]ir.PosEntry, 1)}
	if base != nil {
		m.Sites, m.Pos = nil, nil
	}
	f := &ir.Func{Name: "f"}
	m.AddFunc(f)
	for i := range n {
		site := m.AddSite(ir.Site{Func: f.Index, File: int32(i % 3), Line: int32(i * 7 % 1000)})
		m.AddPosition(ir.PosEntry{Site: site, Parent: ir.Pos(i / 2)})
	}
	return m
}

// Positions and sites of an image are read in blocks, in a split one and a whole one, with a base
// and without. A block that cannot be read now may be readable later.
func TestLinesInBlocks(t *testing.T) {
	for _, n := range []int{0, 1, ir.LineBlock, 2*ir.LineBlock + 100} {
		first := linesModule(nil, n)
		second := linesModule(first, n+1)
		var base *ir.Module
		for _, m := range []*ir.Module{first, second} {
			form := Optimised
			if m.Base != nil {
				form = Continued
			}
			data, err := Encode(m, Header{Form: form})
			if err != nil {
				t.Fatal(err)
			}
			rest, late, _, err := Split(data, 0)
			if err != nil {
				t.Fatal(err)
			}
			broken := true
			split, err := OpenSplit(rest, Late{Code: func(from, to int) ([]byte, error) {
				if broken {
					return nil, errors.New("broken")
				}
				return late[from:to], nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			whole, err := OpenTrusted(data)
			if err != nil {
				t.Fatal(err)
			}
			for _, im := range []*Image{split, whole} {
				got, _, err := im.Module(base)
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := got.Position(ir.Pos(len(m.Pos))); m.Base == nil && im == split && ok {
					t.Error("a position that there is not, or cannot be read, is found")
				}
				broken = false
				checkLines(t, got, m)
				if im == whole {
					base = got
				}
			}
		}
	}
}

// checkLines compares the positions and sites of two modules.
func checkLines(t *testing.T, got, want *ir.Module) {
	t.Helper()
	sites, pos := want.NumLines()
	if s, p := got.NumLines(); s != sites || p != pos {
		t.Fatalf("%d sites and %d positions, want %d and %d", s, p, sites, pos)
	}
	for i := pos; i >= 0; i -= 97 {
		x, ok := got.Position(ir.Pos(i))
		if y, is := want.Position(ir.Pos(i)); x != y || ok != is {
			t.Fatalf("position %d is %v, want %v", i, x, y)
		}
		s, ok := got.Site(int32(i))
		if y, is := want.Site(int32(i)); s != y || ok != is {
			t.Fatalf("site %d is %v, want %v", i, s, y)
		}
	}
	if err := got.LoadLines(); err != nil || !slices.Equal(got.Sites, want.Sites) || !slices.Equal(got.Pos, want.Pos) {
		t.Fatalf("the tables are read as others: %v", err)
	}
}
