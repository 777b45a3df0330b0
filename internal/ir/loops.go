package ir

// A Loop is a natural loop: a header that dominates the rest, and all blocks
// from which an edge back to the header can be reached without passing it.
type Loop struct {
	Header *Block
	Parent *Loop // the next loop around this one, or nil
	Depth  int   // 1 for an outermost loop
	Blocks []*Block
	// Latches are the sources of the edges back to the header.
	Latches []*Block
	// Inner reports that no other loop lies inside.
	Inner bool

	height int // 1 for an inner loop
}

// maxLoopDepth bounds the nesting of loops that are analysed: a block is listed in every loop
// around it. People do not write functions with deeper loops.
const maxLoopDepth = 100

// Loops is the loop nesting forest of a function at one moment.
type Loops struct {
	// List holds every loop; a loop comes before those around it.
	List []*Loop
	// Irreducible reports that the graph has cycles that belong to no loop: some have several
	// entries, or all are nested too deeply.
	Irreducible bool

	of []*Loop // by block ID: innermost
}

// Of returns the innermost loop around b, or nil.
func (l *Loops) Of(b *Block) *Loop { return l.of[b.ID] }

// Depth returns the number of loops around b.
func (l *Loops) Depth(b *Block) int {
	if lp := l.of[b.ID]; lp != nil {
		return lp.Depth
	}
	return 0
}

// Contains reports whether b lies in lp or in a loop inside it.
func (l *Loops) Contains(lp *Loop, b *Block) bool {
	for x := l.of[b.ID]; x != nil; x = x.Parent {
		if x == lp {
			return true
		}
		if x.Depth <= lp.Depth {
			return false
		}
	}
	return false
}

// NewLoops finds the loops of a function. Blocks of a loop are listed with those of its inner
// loops, the header first, the others in no particular order.
func NewLoops(d *Dom) *Loops {
	f := d.Func
	ls := &Loops{of: make([]*Loop, f.NumBlocks())}
	outermost := func(lp *Loop) *Loop {
		for lp.Parent != nil {
			lp = lp.Parent
		}
		return lp
	}
	var work []*Block
	// Inner headers come after outer ones in reverse postorder.
	for i := len(d.Order) - 1; i >= 0; i-- {
		h := d.Order[i]
		var lp *Loop
		for _, p := range h.Preds {
			if d.num[p.ID] == 0 || d.num[p.ID] < d.num[h.ID] {
				continue
			}
			if !d.Dominates(h, p) {
				ls.Irreducible = true
				continue
			}
			if lp == nil {
				lp = &Loop{Header: h, Inner: true, height: 1}
				ls.List = append(ls.List, lp)
			}
			lp.Latches = append(lp.Latches, p)
			work = append(work, p)
		}
		if lp == nil {
			continue
		}
		if ls.of[h.ID] == nil {
			ls.of[h.ID] = lp
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if b == h {
				continue
			}
			if in := ls.of[b.ID]; in == nil {
				ls.of[b.ID] = lp
				for _, p := range b.Preds {
					if d.num[p.ID] != 0 {
						work = append(work, p)
					}
				}
			} else if o := outermost(in); o != lp {
				o.Parent = lp
				lp.Inner = false
				if lp.height = max(lp.height, o.height+1); lp.height > maxLoopDepth {
					return &Loops{Irreducible: true, of: make([]*Loop, f.NumBlocks())}
				}
				for _, p := range o.Header.Preds {
					if d.num[p.ID] != 0 && !d.Dominates(o.Header, p) {
						work = append(work, p)
					}
				}
			}
		}
	}
	for i := len(ls.List) - 1; i >= 0; i-- {
		lp := ls.List[i]
		lp.Depth = 1
		if lp.Parent != nil {
			lp.Depth = lp.Parent.Depth + 1
		}
	}
	for _, b := range d.Order {
		for lp := ls.of[b.ID]; lp != nil; lp = lp.Parent {
			lp.Blocks = append(lp.Blocks, b)
		}
	}
	return ls
}
