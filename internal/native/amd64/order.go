package amd64

import "github.com/gyrvm/gyr/internal/ir"

// orderBlocks returns the reachable blocks in the order of the code: a reverse
// postorder in which what belongs to a loop stands together, likely successors
// follow at once, and blocks that do not return stand last.
func orderBlocks(f *ir.Func, loops *ir.Loops) []*ir.Block {
	type frame struct {
		b     *ir.Block
		succs []*ir.Block
	}
	seen := make([]bool, f.NumBlocks())
	var post []*ir.Block
	var stack []frame
	// Who is visited first stands last.
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
	hot := make([]*ir.Block, 0, len(post))
	var cold []*ir.Block
	for i := len(post) - 1; i >= 0; i-- {
		if b := post[i]; isCold(b) && b != f.Entry {
			cold = append(cold, b)
		} else {
			hot = append(hot, b)
		}
	}
	return append(hot, cold...)
}

// isCold reports whether a block stands behind all others.
func isCold(b *ir.Block) bool { return b.Kind == ir.BlockUnreachable }
