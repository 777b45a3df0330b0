package plan

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// orderBlocks returns the reachable blocks in code order: a reverse postorder in which loops are
// contiguous, likely successors follow at once, and cold blocks come last. cold says which those
// are, by ID.
func orderBlocks(f *ir.Func, loops *ir.Loops) (order []*ir.Block, cold []bool) {
	type frame struct {
		b     *ir.Block
		succs []*ir.Block
	}
	seen := make([]bool, f.NumBlocks())
	var post []*ir.Block
	var stack []frame
	// The block that is visited first comes last.
	succs := func(b *ir.Block) []*ir.Block {
		n := len(b.Succs)
		out := make([]*ir.Block, 0, n)
		lp := loops.Of(b)
		for late := 1; late >= 0; late-- {
			for i := n - 1; i >= 0; i-- {
				k := i
				if n == 2 && b.Likely < 0 {
					k = 1 - i
				}
				s := b.Succs[k]
				if leaves := lp != nil && !loops.Contains(lp, s); leaves == (late == 1) {
					out = append(out, s)
				}
			}
		}
		return out
	}
	walk := func(root *ir.Block) {
		if root == nil || seen[root.ID] {
			return
		}
		seen[root.ID] = true
		stack = append(stack, frame{root, succs(root)})
		for len(stack) > 0 {
			t := &stack[len(stack)-1]
			if len(t.succs) == 0 {
				post = append(post, t.b)
				stack = stack[:len(stack)-1]
				continue
			}
			s := t.succs[0]
			t.succs = t.succs[1:]
			if !seen[s.ID] {
				seen[s.ID] = true
				stack = append(stack, frame{s, succs(s)})
			}
		}
	}
	walk(f.Recover)
	walk(f.Entry)
	slices.Reverse(post)
	cold = coldBlocks(f, loops, post)
	order = make([]*ir.Block, 0, len(post))
	for _, late := range []bool{false, true} {
		for _, b := range post {
			if cold[b.ID] == late {
				order = append(order, b)
			}
		}
	}
	return order, cold
}

// coldBlocks finds the blocks that only unlikely edges reach, and those from which all paths end in
// a panic. list has all blocks in reverse postorder. Blocks dominated by a cold one are cold too.
func coldBlocks(f *ir.Func, loops *ir.Loops, list []*ir.Block) []bool {
	panics := make([]bool, f.NumBlocks())
	for _, b := range slices.Backward(list) {
		goesOn := func(t *ir.Block) bool { return !panics[t.ID] }
		panics[b.ID] = b.Kind == ir.BlockUnreachable || len(b.Succs) > 0 && !slices.ContainsFunc(b.Succs, goesOn)
	}
	// Each block that is not cold follows a predecessor that is not.
	likely, passed := make([]bool, f.NumBlocks()), make([]bool, f.NumBlocks())
	cold := make([]bool, f.NumBlocks())
	for _, b := range list {
		passed[b.ID] = true
		if cold[b.ID] = !likely[b.ID] && b != f.Entry && b != f.Recover; cold[b.ID] {
			continue
		}
		for i, t := range b.Succs {
			if !passed[t.ID] && !panics[t.ID] && !isUnlikely(loops, b, i) {
				likely[t.ID] = true
			}
		}
	}
	return cold
}

// isUnlikely reports whether the edge to successor number i of b is hardly ever taken. Loops
// end sometimes.
func isUnlikely(loops *ir.Loops, b *ir.Block, i int) bool {
	if b.Kind != ir.BlockIf || i == 0 && b.Likely >= 0 || i == 1 && b.Likely <= 0 {
		return false
	}
	lp := loops.Of(b)
	return lp == nil || loops.Contains(lp, b.Succs[i])
}
