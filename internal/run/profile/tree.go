package profile

import "github.com/gyrvm/gyr/internal/ir"

// Bounds of a calling context tree.
const (
	// TrailNodes is the number of contexts up to which recursion is folded by call, see Tree.Child.
	TrailNodes = 1 << 15
	// MaxNodes is the most contexts.
	MaxNodes = 1 << 18
)

// A Tree is a calling context tree (Ammons, Ball, Larus: Exploiting hardware performance counters
// with flow and context sensitive profiling, PLDI 1997). It has a node for every path of different
// calls from the start to a function. It is not safe for concurrent use.
type Tree struct {
	mod   *ir.Module
	Root  *Node   // above the first functions of all goroutines
	nodes []*Node // in the order of their creation, which is that of the run
	more  *Node   // parent of contexts without a node of their own
	over  map[int32]*Node

	trails, max int // TrailNodes and MaxNodes
}

// A Node is a calling context.
type Node struct {
	Func   int32 // index of the function as compiled; 0 at the root
	call   ir.Pos
	parent *Node
	depth  int32
	kids   map[calling]*Node
	gas    map[ir.Pos]int64

	// Tier is for the tier that makes the nodes.
	Tier any
}

// A calling is a call as a node sees it.
type calling struct {
	pos ir.Pos
	fn  int32
}

// NewTree makes a tree for the functions of a module.
func NewTree(mod *ir.Module) *Tree {
	return &Tree{mod: mod, Root: &Node{}, trails: TrailNodes, max: MaxNodes}
}

// Child returns the context of function fn, called at pos by the function of n. Calls at one
// position are one call, even if a loop was unrolled.
//
// Recursion is folded: a call that already occurs on the path to n leads back to the context after
// its first occurrence. So a path never contains a call twice. Folding drops the repetition. Every
// step of a path is a call that happened, and costs count where they arise. Mutual recursion over
// many calls can still make many paths. From TrailNodes contexts on, a call back into any function
// of the path is folded into that function's context. From MaxNodes on, a function that would need
// another context has one for all its callers.
func (t *Tree) Child(n *Node, pos ir.Pos, fn int32) *Node {
	k := calling{pos, fn}
	if c := n.kids[k]; c != nil {
		return c
	}
	c := t.fold(n, k)
	if c == nil {
		c = t.add(n, k)
	}
	if n.kids == nil {
		n.kids = map[calling]*Node{}
	}
	n.kids[k] = c
	return c
}

// fold finds the context on the path to n that a call leads back to.
func (t *Tree) fold(n *Node, k calling) *Node {
	byFunc := len(t.nodes) >= t.trails
	var first *Node
	for ; n != t.Root && n != nil; n = n.parent {
		if n.Func == k.fn && (byFunc || n.call == k.pos) {
			first = n
			if !byFunc {
				break // a path contains a call once
			}
		}
	}
	return first
}

func (t *Tree) add(n *Node, k calling) *Node {
	if len(t.nodes) >= t.max {
		return t.overflow(k.fn)
	}
	c := &Node{Func: k.fn, call: k.pos, parent: n, depth: n.depth + 1}
	t.nodes = append(t.nodes, c)
	return c
}

// overflow returns the one context of a function for which there was no room.
func (t *Tree) overflow(fn int32) *Node {
	if t.more == nil {
		t.more = &Node{parent: t.Root, depth: 1}
		t.over = map[int32]*Node{}
	}
	c := t.over[fn]
	if c == nil {
		c = &Node{Func: fn, parent: t.more, depth: 2}
		t.over[fn] = c
		t.nodes = append(t.nodes, c)
	}
	return c
}

// Nodes calls f for every context but the root, in the order in which the run reached them.
func (t *Tree) Nodes(f func(*Node)) {
	for _, n := range t.nodes {
		f(n)
	}
}

// AddGas counts units charged at a position of the function of n.
func (t *Tree) AddGas(n *Node, pos ir.Pos, units int64) {
	if units == 0 {
		return
	}
	if n.gas == nil {
		n.gas = map[ir.Pos]int64{}
	}
	n.gas[pos] += units
}
