package ir

import "slices"

// A Live says which values are live at the ends of blocks. Only values that are used by a phi or in
// another block than their own appear. Its size is the number of pairs of a block and a value that
// is live there: in a large function a small part of all pairs.
type Live struct {
	out [][]*Value // by block ID
}

// NewLive finds where the values selected by want are live (nil: all). A phi's operands are live at
// the end of the predecessors; the phi itself is not live in at its block.
//
// It goes from every use up to the definition.
func NewLive(f *Func, want func(*Value) bool) *Live {
	l := &Live{out: make([][]*Value, f.NumBlocks())}
	type use struct {
		v  *Value
		b  *Block
		at bool // live at the end of b, else at its start
	}
	var uses []use
	post := Postorder(f)
	reached := make([]bool, f.NumBlocks())
	for _, b := range post {
		reached[b.ID] = true
	}
	in := func(v *Value, b *Block) {
		if v != nil && v.Block != b && (want == nil || want(v)) {
			uses = append(uses, use{v, b, false})
		}
	}
	for _, b := range post {
		for _, v := range b.Values {
			if v.Op != OpPhi {
				for _, a := range v.Args {
					in(a, b)
				}
				continue
			}
			for k, a := range v.Args {
				if k < len(b.Preds) && (want == nil || want(a)) {
					uses = append(uses, use{a, b.Preds[k], true})
				}
			}
		}
		in(b.Ctrl, b)
		for _, r := range b.Rets {
			in(r, b)
		}
	}
	slices.SortStableFunc(uses, func(x, y use) int { return int(x.v.ID) - int(y.v.ID) })
	// The last value found live at the end and at the start of a block, its ID + 1.
	seen, seenIn := make([]int32, f.NumBlocks()), make([]int32, f.NumBlocks())
	var todo []*Block
	for _, u := range uses {
		switch {
		case u.at:
			todo = append(todo[:0], u.b)
		case seenIn[u.b.ID] != u.v.ID+1:
			seenIn[u.b.ID] = u.v.ID + 1
			todo = append(todo[:0], u.b.Preds...)
		}
		for len(todo) > 0 {
			b := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if seen[b.ID] == u.v.ID+1 || !reached[b.ID] {
				continue
			}
			seen[b.ID] = u.v.ID + 1
			l.out[b.ID] = append(l.out[b.ID], u.v)
			if u.v.Block != b {
				todo = append(todo, b.Preds...)
			}
		}
	}
	return l
}

// Out returns the values that are live at the end of b, in the order of their numbers.
func (l *Live) Out(b *Block) []*Value { return l.out[b.ID] }
