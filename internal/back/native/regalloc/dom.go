package regalloc

// dominators are the immediate dominators of blocks: Cooper, Harvey and Kennedy,
// A Simple, Fast Dominance Algorithm (2001).
type dominators struct {
	idom  []int32 // the entry's is itself
	order []int32 // by block: place in the reverse postorder
}

func (m *Memory) newDominators(f *Func) *dominators {
	n := len(f.Blocks)
	d := &dominators{idom: m.ints.Make(n), order: m.ints.Make(n)}
	post := m.ints.Make(n)[:0]
	type item struct {
		b int32
		i int
	}
	seen := m.bools.Make(n)
	stack := []item{{0, 0}}
	seen[0] = true
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if succs := f.Blocks[t.b].Succs; t.i < len(succs) {
			s := succs[t.i]
			t.i++
			if !seen[s] {
				seen[s] = true
				stack = append(stack, item{s, 0})
			}
			continue
		}
		post = append(post, t.b)
		stack = stack[:len(stack)-1]
	}
	for i, b := range post {
		d.order[b] = int32(len(post) - 1 - i)
	}
	for i := range d.idom {
		d.idom[i] = -1
	}
	d.idom[0] = 0
	for changed := true; changed; {
		changed = false
		for i := len(post) - 2; i >= 0; i-- {
			b := post[i]
			dom := int32(-1)
			for _, p := range f.Blocks[b].Preds {
				switch {
				case d.idom[p] < 0:
				case dom < 0:
					dom = p
				default:
					dom = d.common(dom, p)
				}
			}
			if d.idom[b] != dom {
				d.idom[b] = dom
				changed = true
			}
		}
	}
	return d
}

// common returns the nearest block that dominates both.
func (d *dominators) common(x, y int32) int32 {
	for x != y {
		for d.order[x] > d.order[y] {
			x = d.idom[x]
		}
		for d.order[y] > d.order[x] {
			y = d.idom[y]
		}
	}
	return x
}
