package exec

import (
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// TestGrow grows pieces from the smallest to mappings of their own: contents
// stay at the same distance from the end that they are kept at.
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
