package ir

import (
	"fmt"
	"math/rand"
	"testing"
)

// randomGraph makes a function of n blocks with random edges and no values.
func randomGraph(rng *rand.Rand, n int) *Func {
	f := &Func{Name: "g"}
	for i := 0; i < n; i++ {
		f.NewBlock()
	}
	target := func() *Block { return f.Blocks[1+rng.Intn(n-1)] }
	for _, b := range f.Blocks {
		switch rng.Intn(4) {
		case 0:
			b.Kind = BlockReturn
		case 1:
			b.Kind = BlockJump
			b.AddEdge(target())
		default:
			b.Kind = BlockSwitch
			for k := 0; k < 1+rng.Intn(3); k++ {
				b.AddEdge(target())
			}
		}
	}
	if n > 4 && rng.Intn(2) == 0 {
		r := f.Blocks[n-1]
		if len(r.Preds) == 0 {
			f.Recover = r
		}
	}
	return f
}

// reaches finds the blocks that the entries reach without passing cut.
func reaches(f *Func, cut *Block) map[*Block]bool {
	seen := map[*Block]bool{}
	var walk func(b *Block)
	walk = func(b *Block) {
		if b == nil || b == cut || seen[b] {
			return
		}
		seen[b] = true
		for _, s := range b.Succs {
			walk(s)
		}
	}
	walk(f.Entry)
	walk(f.Recover)
	return seen
}

func TestDominatorsByDefinition(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for round := 0; round < 400; round++ {
		f := randomGraph(rng, 3+rng.Intn(12))
		d := NewDom(f)
		all := reaches(f, nil)
		for _, b := range f.Blocks {
			if d.Reachable(b) != all[b] {
				t.Fatalf("reachable(%s) = %v", b, d.Reachable(b))
			}
		}
		for _, a := range f.Blocks {
			without := reaches(f, a)
			for _, b := range f.Blocks {
				if !all[b] {
					continue
				}
				want := a == b || !without[b]
				if !all[a] {
					want = false
				}
				if got := d.Dominates(a, b); got != want {
					t.Fatalf("round %d: dominates(%s, %s) = %v\n%s", round, a, b, got, f)
				}
			}
			if p := d.Idom(a); p != nil && (!d.Dominates(p, a) || d.Number(p) >= d.Number(a)) {
				t.Fatalf("idom(%s) = %s", a, p)
			}
		}
	}
}

func TestLoopsByDefinition(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for round := 0; round < 400; round++ {
		f := randomGraph(rng, 3+rng.Intn(10))
		d := NewDom(f)
		ls := NewLoops(d)
		headers := map[*Block]*Loop{}
		for _, lp := range ls.List {
			headers[lp.Header] = lp
		}
		for _, h := range d.Order {
			// The natural loop of h: h and everything that reaches a latch without
			// passing h.
			member := map[*Block]bool{}
			var walk func(b *Block)
			walk = func(b *Block) {
				if member[b] || !d.Reachable(b) {
					return
				}
				member[b] = true
				if b != h {
					for _, p := range b.Preds {
						walk(p)
					}
				}
			}
			isHeader := false
			for _, p := range h.Preds {
				if d.Reachable(p) && d.Dominates(h, p) {
					isHeader = true
					walk(p)
				}
			}
			lp := headers[h]
			if isHeader != (lp != nil) {
				t.Fatalf("header(%s) = %v", h, lp != nil)
			}
			if lp == nil {
				continue
			}
			member[h] = true
			if ls.Irreducible {
				continue // blocks of an irreducible cycle may count to one loop only
			}
			if len(lp.Blocks) != len(member) {
				t.Fatalf("round %d: loop %s has blocks %v, want %v\n%s", round, h, lp.Blocks, member, f)
			}
			for b := range member {
				if !ls.Contains(lp, b) {
					t.Fatalf("loop %s lacks %s", h, b)
				}
			}
		}
	}
}

// TestDominatorsOfLargeGraph builds ladders that are slow for simple iteration.
func TestDominatorsOfLargeGraph(t *testing.T) {
	const n = 100000
	f := &Func{Name: "ladder"}
	for i := 0; i < n; i++ {
		f.NewBlock()
	}
	for i, b := range f.Blocks {
		b.Kind = BlockSwitch
		if i+1 < n {
			b.AddEdge(f.Blocks[i+1])
		}
		if i > 1 {
			b.AddEdge(f.Blocks[i/2])
			b.AddEdge(f.Blocks[i-1])
		}
		if len(b.Succs) == 0 {
			b.Kind = BlockReturn
		}
		b.Cases = make([]int64, len(b.Succs)-1)
	}
	d := NewDom(f)
	if d.Idom(f.Blocks[1]) != f.Entry {
		t.Error("idom of block 1")
	}
}

func TestLiveness(t *testing.T) {
	m := mustParse(t, `
func @f (i64, i64) -> (i64) {
b0:
  v0 = arg i64 [0]
  v1 = arg i64 [1]
  v2 = const i64 0
  jump b1
b1: <- b0 b2
  v3 = phi i64 v2 v5
  v4 = lts i8 v3 v0
  if v4 b2 b3
b2: <- b1
  v5 = add i64 v3 v1
  jump b1
b3: <- b1
  ret v3
}`)
	f := m.Func(1)
	l := NewLive(f, nil)
	var got string
	for _, b := range f.Blocks {
		got += fmt.Sprintf("%s out %v\n", b, l.Out(b))
	}
	want := `b0 out [v0 v1 v2]
b1 out [v0 v1 v3]
b2 out [v0 v1 v5]
b3 out []
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
