package enum

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/irtest/passes"
)

// Numbers and programs correspond one to one, in all spaces.
func TestNumbers(t *testing.T) {
	trees := NewTrees()
	for n := range maxOps + 1 {
		t.Logf("%d numbers of trees with up to %d operations", trees.Upto(n), n)
	}
	for _, s := range []Space{trees, NewAccesses(), NewLoops()} {
		r := rand.New(rand.NewPCG(1, 2))
		for range 5_000 {
			n := s.Random(r)
			if n >= s.Size() {
				t.Fatalf("%s %d is beyond %d", s.Name(), n, s.Size())
			}
			if p := s.Program(n); p != nil && p.Number() != n {
				t.Fatalf("%s %d, %v, has number %d", s.Name(), n, p, p.Number())
			}
		}
		last := s.Size() - 1
		if p := s.Program(last); p != nil && p.Number() != last {
			t.Fatalf("%s %d, %v, has number %d", s.Name(), last, p, p.Number())
		}
	}
}

// Every operation that only computes occurs in a tree, at each of its types, and so does each
// place.
func TestEveryOperationIsInATree(t *testing.T) {
	s := NewTrees()
	seen := map[ir.Op]bool{}
	for k := range numKinds {
		for _, p := range s.g.of[k] {
			seen[p.op.Op] = true
		}
	}
	for op := ir.OpAdd; op < ir.OpLoad; op++ {
		if !seen[op] && op != ir.OpLocalAddr {
			t.Errorf("no tree has %v", op)
		}
	}
}

// A mistake in compiled code is found, named and reduced to its operation.
func TestMistakesAreFound(t *testing.T) {
	wrong := func(uint64) []Part {
		return []Part{{Set: passes.None, Engines: engines}, {Set: passes.All, Engines: engines, Change: func(mod *ir.Module) {
			for _, f := range mod.Funcs()[1:] {
				for _, b := range f.Blocks {
					for _, v := range b.Values {
						if v.Op == ir.OpRemU {
							v.Op = ir.OpRemS
						}
					}
				}
			}
		}}}
	}
	s := NewTrees()
	r := rand.New(rand.NewPCG(7, 7))
	b := &Batch{Seed: 7, Rows: 16}
	for len(b.Programs) < 1500 {
		if p := s.Program(s.Random(r)); p != nil {
			b.Programs = append(b.Programs, p)
		}
	}
	c := &Comparer{Sets: wrong}
	list, err := c.Compare(b)
	if err != nil || len(list) == 0 {
		t.Fatalf("found %v, %v", list, err)
	}
	for _, d := range list {
		if !strings.Contains(d.Program.String(), "remu") {
			t.Errorf("%v differs in %v", d.Program, d)
		}
	}
	small := Smallest(list[0].Program, b.Seed, wrong)
	if n := small.(*tree).ops; n != 1 {
		t.Errorf("%v is reduced to %v, of %d operations", list[0].Program, small, n)
	}
	text := Report(s, b, list[:1], wrong)
	for _, want := range []string{"machine code, phase B", "interpreter, phase B", "gives"} {
		if strings.HasPrefix(want, "machine") && len(nativeEngines) == 0 {
			continue
		}
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
}
