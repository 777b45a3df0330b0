package exec

import (
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// TestGrow grows pieces from the smallest to mappings of their own. Contents keep their distance
// from the end at which they are kept.
func TestGrow(t *testing.T) {
	space, err := memory.Reserve()
	if err != nil {
		t.Fatal(err)
	}
	defer space.Release()
	for _, down := range []bool{false, true} {
		var a stackMemory
		a.init(memory.NewHeap(space, ir.DataBase, nil, 1<<20), space.Stacks())
		at := func(p *stackPiece, i int) *uint64 {
			if down {
				return &p.Mem[len(p.Mem)-1-i]
			}
			return &p.Mem[i]
		}
		other := a.get(FirstSlots)
		for i := range other.Mem {
			other.Mem[i] = 1
		}
		p := a.get(FirstSlots)
		filled := 0
		for len(p.Mem) < 1<<20 {
			for ; filled < len(p.Mem); filled++ {
				*at(&p, filled) = uint64(filled) * 3
			}
			n := len(p.Mem) + 1
			if filled == 1<<14 {
				n = 5 << 14 // more than twice
			}
			a.grow(&p, n, down)
			if len(p.Mem) < max(n, 2*filled) {
				t.Fatalf("down %v: %d slots, want %d", down, len(p.Mem), n)
			}
			for i := range filled {
				if x := *at(&p, i); x != uint64(i)*3 {
					t.Fatalf("down %v: slot %d of %d is %d after growth from %d", down, i, len(p.Mem), x, filled)
				}
			}
		}
		for i, x := range other.Mem {
			if x != 1 {
				t.Fatalf("slot %d of another piece is %d", i, x)
			}
		}
		a.put(p)
		a.put(other)
		a.release()
	}
}

// TestKept: the next stack reuses a mapping that no stack uses, whichever way it gets to that size.
// The kept mappings are bounded together, count as idle, and go when memory is needed or the
// machine is released.
func TestKept(t *testing.T) {
	space, err := memory.Reserve()
	if err != nil {
		t.Fatal(err)
	}
	defer space.Release()
	for _, down := range []bool{false, true} {
		var a stackMemory
		h := memory.NewHeap(space, ir.DataBase, nil, 1<<20)
		a.init(h, space.Stacks())
		const small, large = 16 << maxPiece, 32 << maxPiece
		p, q := a.get(small/8), a.get(large/8)
		atP, atQ := p.pages, q.pages
		a.put(p)
		a.put(q)
		if a.held != small+large {
			t.Fatalf("%d bytes kept, want %d", a.held, small+large)
		}
		if p = a.get(small / 8); p.pages != atP {
			t.Error("get does not take the mapping that was kept")
		}
		for i := range p.Mem {
			p.Mem[i] = uint64(i)
		}
		was := len(p.Mem)
		if a.grow(&p, was+1, down); p.pages != atQ {
			t.Error("grow does not take the mapping that was kept")
		}
		for i := range was {
			at := i
			if down {
				at += len(p.Mem) - was
			}
			if p.Mem[at] != uint64(i) {
				t.Fatalf("down %v: slot %d is %d after growth into a mapping that was kept", down, i, p.Mem[at])
			}
		}
		a.put(p)

		var many []stackPiece
		for range 3 * keptBytes / large {
			many = append(many, a.get(large/8))
		}
		huge := a.get(2 * keptPiece / 8)
		for _, p := range many {
			a.put(p)
		}
		before := a.held
		if a.put(huge); a.held != before || huge.pages.Bytes != nil {
			t.Error("a mapping was kept that is larger than those which are")
		}
		if a.held <= keptBytes-large || a.held > keptBytes {
			t.Errorf("%d bytes kept of %d, at most %d", a.held, len(many)*large, keptBytes)
		}
		list := append([]*memory.Pages(nil), a.kept...)
		h.Trim()
		for _, p := range list {
			if p.Bytes != nil {
				t.Fatal("memory stays that trim was to give back")
			}
		}
		if a.held != 0 || len(a.kept) != 0 {
			t.Errorf("%d bytes kept behind trim", a.held)
		}
		a.put(a.get(large / 8))
		list = append(list[:0], a.kept...)
		if a.release(); len(list) != 1 || list[0].Bytes != nil {
			t.Error("release leaves a mapping")
		}
	}
}
