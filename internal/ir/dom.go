package ir

// A Dom is the dominator tree of a function at one moment. A recovery block is a second root:
// neither root dominates a block that both entries reach.
type Dom struct {
	Func *Func
	// Order holds the reachable blocks in reverse postorder: a block stands
	// before its successors, back edges aside, and after its dominators.
	Order []*Block

	num      []int32 // by block ID: place in Order + 1; 0: unreachable
	idom     []*Block
	in, out  []int32 // by block ID: interval of the walk over the tree
	children [][]*Block
}

// Idom returns the immediate dominator, nil for an entry, for a block that both entries reach on
// separate paths, and for unreachable blocks.
func (d *Dom) Idom(b *Block) *Block { return d.idom[b.ID] }

// Children returns the blocks that b dominates immediately, in reverse postorder.
func (d *Dom) Children(b *Block) []*Block { return d.children[b.ID] }

// Roots returns the blocks without an immediate dominator, in reverse postorder.
func (d *Dom) Roots() []*Block {
	var roots []*Block
	for _, b := range d.Order {
		if d.idom[b.ID] == nil {
			roots = append(roots, b)
		}
	}
	return roots
}

// OverDominators walks down the dominator tree: it calls enter for each block before those that it
// dominates. It calls leave after them, with the result of enter, to undo what holds only below the
// block.
func OverDominators[M any](d *Dom, enter func(*Block) M, leave func(M)) {
	type frame struct {
		b    *Block
		next int // of its children
		mark M
	}
	var stack []frame
	for _, root := range d.Order {
		if d.Idom(root) != nil {
			continue
		}
		stack = append(stack, frame{b: root, mark: enter(root)})
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if kids := d.Children(top.b); top.next < len(kids) {
				b := kids[top.next]
				top.next++
				stack = append(stack, frame{b: b, mark: enter(b)})
				continue
			}
			leave(top.mark)
			stack = stack[:len(stack)-1]
		}
	}
}

// Reachable reports whether a path leads from an entry to b.
func (d *Dom) Reachable(b *Block) bool { return d.num[b.ID] != 0 }

// Number returns b's place in Order, -1 when it is unreachable.
func (d *Dom) Number(b *Block) int { return int(d.num[b.ID]) - 1 }

// Dominates reports whether every path to b goes through a. A block dominates
// itself, and every block dominates an unreachable one.
func (d *Dom) Dominates(a, b *Block) bool {
	if a == b || d.num[b.ID] == 0 {
		return true
	}
	return d.num[a.ID] != 0 && d.in[a.ID] <= d.in[b.ID] && d.out[b.ID] <= d.out[a.ID]
}

// Postorder returns the blocks that the entries reach, successors first.
func Postorder(f *Func) []*Block {
	type frame struct {
		b    *Block
		next int
	}
	seen := make([]bool, f.NumBlocks())
	order := make([]*Block, 0, len(f.Blocks))
	var stack []frame
	walk := func(root *Block) {
		if root == nil || seen[root.ID] {
			return
		}
		seen[root.ID] = true
		stack = append(stack, frame{root, 0})
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next < len(top.b.Succs) {
				// Later successors first: the first one then follows its
				// predecessor directly in reverse postorder.
				s := top.b.Succs[len(top.b.Succs)-1-top.next]
				top.next++
				if !seen[s.ID] {
					seen[s.ID] = true
					stack = append(stack, frame{s, 0})
				}
				continue
			}
			order = append(order, top.b)
			stack = stack[:len(stack)-1]
		}
	}
	walk(f.Recover)
	walk(f.Entry)
	return order
}

// NewDom computes the dominator tree by the simple algorithm of Lengauer and
// Tarjan (TOPLAS 1, 1979), which no graph makes quadratic.
func NewDom(f *Func) *Dom {
	post := Postorder(f)
	n := len(post)
	nb := f.NumBlocks()
	d := &Dom{
		Func:     f,
		Order:    make([]*Block, n),
		num:      make([]int32, nb),
		idom:     make([]*Block, nb),
		in:       make([]int32, nb),
		out:      make([]int32, nb),
		children: make([][]*Block, nb),
	}
	for i, b := range post {
		d.Order[n-1-i] = b
	}
	for i, b := range d.Order {
		d.num[b.ID] = int32(i) + 1
	}
	d.compute()
	for _, b := range d.Order {
		if p := d.idom[b.ID]; p != nil {
			d.children[p.ID] = append(d.children[p.ID], b)
		}
	}
	d.number()
	return d
}

// compute fills idom. Vertices are numbered from 1 in depth-first preorder;
// vertex 0 is a root above both entries.
func (d *Dom) compute() {
	f := d.Func
	n := len(d.Order) + 1
	table := make([]int32, 7*n+f.NumBlocks())
	cut := func(k int) []int32 {
		t := table[:k:k]
		table = table[k:]
		return t
	}
	parent, semi, label, ancestor, dom := cut(n), cut(n), cut(n), cut(n), cut(n)
	bucketHead, bucketNext := cut(n), cut(n)
	pre := cut(f.NumBlocks())
	verts := make([]*Block, 1, n)
	type frame struct {
		b    *Block
		next int
	}
	var stack []frame
	visit := func(b *Block, from int32) {
		pre[b.ID] = int32(len(verts))
		parent[len(verts)] = from
		verts = append(verts, b)
		stack = append(stack, frame{b, 0})
	}
	for _, root := range []*Block{f.Entry, f.Recover} {
		if root == nil || pre[root.ID] != 0 {
			continue
		}
		visit(root, 0)
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == len(top.b.Succs) {
				stack = stack[:len(stack)-1]
				continue
			}
			s := top.b.Succs[top.next]
			top.next++
			if pre[s.ID] == 0 {
				visit(s, pre[top.b.ID])
			}
		}
	}
	for i := range semi {
		semi[i], label[i] = int32(i), int32(i)
		ancestor[i] = -1
		bucketHead[i] = -1
	}
	var path []int32
	eval := func(v int32) int32 {
		if ancestor[v] < 0 {
			return v
		}
		// Compress the path to the root of v's tree, top down.
		path = path[:0]
		for u := v; ancestor[ancestor[u]] >= 0; u = ancestor[u] {
			path = append(path, u)
		}
		for i := len(path) - 1; i >= 0; i-- {
			u := path[i]
			a := ancestor[u]
			if semi[label[a]] < semi[label[u]] {
				label[u] = label[a]
			}
			ancestor[u] = ancestor[a]
		}
		return label[v]
	}
	for w := int32(n) - 1; w >= 1; w-- {
		b := verts[w]
		if b == f.Entry || b == f.Recover {
			semi[w] = 0
		}
		for _, p := range b.Preds {
			v := pre[p.ID]
			if v == 0 {
				continue // unreachable
			}
			if u := eval(v); semi[u] < semi[w] {
				semi[w] = semi[u]
			}
		}
		s := semi[w]
		bucketNext[w] = bucketHead[s]
		bucketHead[s] = w
		p := parent[w]
		ancestor[w] = p
		for v := bucketHead[p]; v >= 0; v = bucketNext[v] {
			if u := eval(v); semi[u] < semi[v] {
				dom[v] = u
			} else {
				dom[v] = p
			}
		}
		bucketHead[p] = -1
	}
	for w := int32(1); w < int32(n); w++ {
		if dom[w] != semi[w] {
			dom[w] = dom[dom[w]]
		}
		if dom[w] != 0 {
			d.idom[verts[w].ID] = verts[dom[w]]
		}
	}
}

// number gives every block the interval of a walk over the tree.
func (d *Dom) number() {
	type frame struct {
		b    *Block
		next int
	}
	t := int32(0)
	var stack []frame
	for _, root := range d.Order {
		if d.idom[root.ID] != nil {
			continue
		}
		t++
		d.in[root.ID] = t
		stack = append(stack, frame{root, 0})
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			kids := d.children[top.b.ID]
			if top.next == len(kids) {
				t++
				d.out[top.b.ID] = t
				stack = stack[:len(stack)-1]
				continue
			}
			k := kids[top.next]
			top.next++
			t++
			d.in[k.ID] = t
			stack = append(stack, frame{k, 0})
		}
	}
}
