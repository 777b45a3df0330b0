package opt

import "github.com/gyrvm/gyr/internal/ir"

// An ssaBuilder turns variables with several assignments into SSA names. It puts phis at the
// iterated dominance frontier of the assignments (Cytron et al., TOPLAS 13, 1991), only where the
// variable is still read.
//
// A pass declares for every block, in order, which variables are read and assigned (use, def). Then
// it walks the blocks with rename.
type ssaBuilder struct {
	*state
	types []ir.Type

	reads    [][]int32 // by variable: blocks that read it before they assign it
	defs     [][]int32 // by variable: blocks (indices in Dom().Order) that assign it
	lastDef  []int32   // by variable: block of its last recorded assignment, plus 1
	phis     [][]phiVar
	edges    [][]edge // by block ID: edges into blocks with phis
	cur      []*ir.Value
	undo     []undoVar
	zero     [16]*ir.Value
	zeroList []*ir.Value
}

type phiVar struct {
	variable int32
	phi      *ir.Value
}

type edge struct {
	to    *ir.Block
	place int // index of the predecessor
}

type undoVar struct {
	variable int32
	old      *ir.Value
}

func newSSABuilder(s *state, types []ir.Type) *ssaBuilder {
	n := len(types)
	return &ssaBuilder{
		state:   s,
		types:   types,
		reads:   make([][]int32, n),
		defs:    make([][]int32, n),
		lastDef: make([]int32, n),
	}
}

// use records a read of a variable; block is an index in Dom().Order. The calls for one block are
// adjacent.
func (sb *ssaBuilder) use(block, variable int32) {
	if sb.lastDef[variable] == block+1 {
		return
	}
	if k := len(sb.reads[variable]); k == 0 || sb.reads[variable][k-1] != block {
		sb.reads[variable] = append(sb.reads[variable], block)
	}
}

// def records an assignment.
func (sb *ssaBuilder) def(block, variable int32) {
	if sb.lastDef[variable] != block+1 {
		sb.lastDef[variable] = block + 1
		sb.defs[variable] = append(sb.defs[variable], block)
	}
}

// frontiers computes the dominance frontier of every block, as indices in Order.
func frontiers(d *ir.Dom) [][]int32 {
	df := make([][]int32, len(d.Order))
	for i, b := range d.Order {
		if len(b.Preds) < 2 {
			continue
		}
		stop := d.Idom(b)
		for _, p := range b.Preds {
			if !d.Reachable(p) {
				continue
			}
			for r := p; r != nil && r != stop; r = d.Idom(r) {
				n := d.Number(r)
				if k := len(df[n]); k > 0 && df[n][k-1] == int32(i) {
					break // another predecessor's walk has covered the rest of the path
				}
				df[n] = append(df[n], int32(i))
			}
		}
	}
	return df
}

// placePhis makes the phis. Their operands follow in rename.
func (sb *ssaBuilder) placePhis() {
	d := sb.Dom()
	sb.phis = make([][]phiVar, sb.f.NumBlocks())
	var df [][]int32
	stamp := make([]int32, len(d.Order))
	for i := range stamp {
		stamp[i] = -1
	}
	// Stamps of the current variable: blocks that assign it, that need it at their start, that have
	// a phi.
	assigned := make([]int32, len(d.Order))
	needed := make([]int32, len(d.Order))
	var work []int32
	any := false
	for v := range sb.types {
		if len(sb.reads[v]) == 0 || len(sb.defs[v]) == 0 {
			continue
		}
		if df == nil {
			df = frontiers(d)
		}
		mark := int32(v) + 1
		for _, n := range sb.defs[v] {
			assigned[n] = mark
		}
		work = work[:0]
		for _, n := range sb.reads[v] {
			needed[n] = mark
			work = append(work, n)
		}
		for len(work) > 0 {
			n := work[len(work)-1]
			work = work[:len(work)-1]
			for _, p := range d.Order[n].Preds {
				if k := int32(d.Number(p)); k >= 0 && assigned[k] != mark && needed[k] != mark {
					needed[k] = mark
					work = append(work, k)
				}
			}
		}
		work = append(work[:0], sb.defs[v]...)
		for len(work) > 0 {
			n := work[len(work)-1]
			work = work[:len(work)-1]
			for _, j := range df[n] {
				if stamp[j] == int32(v) || needed[j] != mark {
					continue
				}
				stamp[j] = int32(v)
				b := d.Order[j]
				phi := sb.f.NewValue(ir.OpPhi, sb.types[v], make([]*ir.Value, len(b.Preds))...)
				phi.Block = b
				sb.phis[b.ID] = append(sb.phis[b.ID], phiVar{int32(v), phi})
				work = append(work, j)
				any = true
			}
		}
	}
	if !any {
		return
	}
	sb.edges = make([][]edge, sb.f.NumBlocks())
	for _, b := range d.Order {
		if len(sb.phis[b.ID]) == 0 {
			continue
		}
		for i, p := range b.Preds {
			sb.edges[p.ID] = append(sb.edges[p.ID], edge{b, i})
		}
	}
}

// get returns the present value of a variable, which is zero before any assignment.
func (sb *ssaBuilder) get(variable int32) *ir.Value {
	if v := sb.cur[variable]; v != nil {
		return v
	}
	t := sb.types[variable]
	if sb.zero[t] == nil {
		z := sb.newConst(t, 0)
		sb.zero[t] = z
		sb.zeroList = append(sb.zeroList, z)
	}
	return sb.zero[t]
}

// set assigns a variable.
func (sb *ssaBuilder) set(variable int32, v *ir.Value) {
	sb.undo = append(sb.undo, undoVar{variable, sb.cur[variable]})
	sb.cur[variable] = v
}

// rename walks the dominator tree and calls block for every block. block reads and assigns
// variables through get and set. Afterwards all phis are complete and in their blocks.
func (sb *ssaBuilder) rename(block func(b *ir.Block)) {
	d := sb.Dom()
	sb.cur = make([]*ir.Value, len(sb.types))
	ir.OverDominators(d, func(b *ir.Block) int {
		undo := len(sb.undo)
		for _, pv := range sb.phis[b.ID] {
			sb.set(pv.variable, pv.phi)
		}
		block(b)
		if sb.edges != nil {
			for _, e := range sb.edges[b.ID] {
				for _, pv := range sb.phis[e.to.ID] {
					pv.phi.Args[e.place] = sb.get(pv.variable)
				}
			}
		}
		return undo
	}, func(undo int) {
		for len(sb.undo) > undo {
			u := sb.undo[len(sb.undo)-1]
			sb.undo = sb.undo[:len(sb.undo)-1]
			sb.cur[u.variable] = u.old
		}
	})
	for _, b := range d.Order {
		if pvs := sb.phis[b.ID]; len(pvs) > 0 {
			vs := make([]*ir.Value, 0, len(pvs)+len(b.Values))
			for _, pv := range pvs {
				vs = append(vs, pv.phi)
			}
			b.Values = append(vs, b.Values...)
		}
	}
	// Zeros go to the entry block: no variable reaches a recovery block.
	if len(sb.zeroList) > 0 {
		e := sb.f.Entry
		for _, z := range sb.zeroList {
			z.Block = e
		}
		n := 0
		for n < len(e.Values) && (e.Values[n].Op == ir.OpArg || e.Values[n].Op == ir.OpClosure) {
			n++
		}
		e.Values = append(append(append([]*ir.Value(nil), e.Values[:n]...), sb.zeroList...), e.Values[n:]...)
	}
}

// reachableFrom returns, by ID, the blocks that a block reaches; nil for no block.
func reachableFrom(f *ir.Func, b *ir.Block) []bool {
	if b == nil {
		return nil
	}
	seen := make([]bool, f.NumBlocks())
	seen[b.ID] = true
	work := []*ir.Block{b}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, t := range b.Succs {
			if !seen[t.ID] {
				seen[t.ID] = true
				work = append(work, t)
			}
		}
	}
	return seen
}
