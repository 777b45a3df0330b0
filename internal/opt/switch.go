package opt

import "github.com/gyrvm/gyr/internal/ir"

// formSwitches turns chains of comparisons of one value with constants into a BlockSwitch. go/ssa
// makes such chains from switch statements.
//
//	b0: if x == 1 then t0 else b1      b0: switch x  1: t0  2: e1  default e2
//	b1: gas 2; if x == 2 then t1 …     e1: gas 2; jump t1
//
// The charges of the comparisons before a case move to a block on the case's edge. So each path
// pays what it paid, and the line where gas ends on the way is known. Nothing observable happens
// between those charges.
func formSwitches(s *state) {
	found := false
	uses := useCounts(s.f)
	inChain := make([]bool, s.f.NumBlocks())
	for _, b := range s.Dom().Order {
		if int(b.ID) < len(inChain) && !inChain[b.ID] {
			if links := chainFrom(b, uses); len(links) >= minCases {
				for _, l := range links[1:] {
					inChain[l.b.ID] = true
				}
				s.makeSwitch(links)
				found = true
			}
		}
	}
	if found {
		s.dropUnreachable()
		grapher{s}.merge() // so that charges on edges and those of the cases are adjacent
		s.graphChanged()
	}
}

// minCases is how many comparisons a switch must replace.
const minCases = 4

// maxWayCharges is how many charges of one path keep their lines. Earlier ones are merged: all of
// them would be n²/2 for n cases.
const maxWayCharges = 16

// A link is one comparison of a chain.
type link struct {
	b     *ir.Block
	c     int64       // the constant
	equal *ir.Block   // the target for equality
	other *ir.Block   // the next link, or the default
	gas   []*ir.Value // charges of this link; none for the first, whose charges stay
}

// comparison reads the end of a block as the comparison x == c.
func comparison(b *ir.Block) (x *ir.Value, l link, ok bool) {
	if b.Kind != ir.BlockIf {
		return nil, link{}, false
	}
	v := b.Ctrl
	if v.Op != ir.OpEq && v.Op != ir.OpNe || !v.Args[0].Type.IsInt() || v.Args[1].Op != ir.OpConst ||
		v.Args[0].Op == ir.OpConst {
		return nil, link{}, false
	}
	l = link{b: b, c: v.Args[1].Aux, equal: b.Succs[0], other: b.Succs[1]}
	if v.Op == ir.OpNe {
		l.equal, l.other = l.other, l.equal
	}
	return v.Args[0], l, true
}

// chainFrom collects the comparisons that begin at b.
func chainFrom(b *ir.Block, uses []int32) []link {
	x, first, ok := comparison(b)
	if !ok {
		return nil
	}
	links := []link{first}
	for {
		prev := &links[len(links)-1]
		n := prev.other
		y, l, ok := comparison(n)
		if !ok || y != x || len(n.Preds) != 1 || n == b {
			return links
		}
		// The block may have no other effects, and the comparison no other uses.
		for _, v := range n.Values {
			switch {
			case v.Op == ir.OpGas:
				l.gas = append(l.gas, v)
			case v.Op == ir.OpConst:
			case v == n.Ctrl:
			default:
				return links
			}
		}
		if uses[n.Ctrl.ID] != 1 {
			return links
		}
		links = append(links, l)
	}
}

func (s *state) makeSwitch(links []link) {
	b := links[0].b
	x := b.Ctrl.Args[0]
	type way struct {
		c    int64
		to   *ir.Block
		from *ir.Block // the link that jumped there
		gas  []*ir.Value
	}
	var ways []way
	seen := map[int64]bool{}
	var gas []*ir.Value
	for _, l := range links {
		gas = append(gas, l.gas...)
		if !seen[l.c] {
			seen[l.c] = true
			ways = append(ways, way{l.c, l.equal, l.b, gas})
		} else {
			removeEdge(l.b, l.equal) // never equal here
		}
	}
	last := links[len(links)-1]
	ways = append(ways, way{0, last.other, last.b, gas})
	// Constants of the links may have uses after the links.
	for _, l := range links[1:] {
		for _, v := range l.b.Values {
			if v.Op == ir.OpConst {
				b.Append(v)
			}
		}
		l.b.Values = nil
	}
	b.Kind, b.Likely = ir.BlockSwitch, 0
	b.Ctrl, b.Cases, b.Succs = x, nil, nil
	for i, w := range ways {
		if i < len(ways)-1 {
			b.Cases = append(b.Cases, w.c)
		}
		// The new edge replaces the old one among the predecessors.
		k := w.to.PredIndex(w.from)
		e := s.f.NewBlock()
		e.Kind, e.Pos = ir.BlockJump, b.Pos
		e.Succs = []*ir.Block{w.to}
		w.to.Preds[k] = e
		for i, c := range w.gas {
			if i > 0 && i < len(w.gas)-maxWayCharges {
				e.Values[0].Aux += c.Aux
				e.Values[0].Pos = c.Pos
				e.Values[0].Aux2 &= c.Aux2
				continue
			}
			g := s.f.NewValue(ir.OpGas, ir.Void)
			g.Aux, g.Aux2, g.Pos = c.Aux, c.Aux2, c.Pos
			e.Append(g)
		}
		b.AddEdge(e)
	}
	for _, l := range links[1:] {
		// The link is unreachable now and keeps no edge.
		l.b.Kind, l.b.Ctrl, l.b.Succs, l.b.Preds = ir.BlockUnreachable, nil, nil, nil
	}
}
