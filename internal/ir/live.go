package ir

import "math/bits"

// A Live says which values are live at the ends of blocks. Only values used in
// another block than their own, or by a phi, appear; they are numbered densely
// so that the sets stay small in large functions.
type Live struct {
	Values []*Value // by dense number

	dense []int32 // by value ID: dense number + 1; 0: used only in its own block
	words int
	in    []uint64 // by block ID, words each
	out   []uint64
}

// NewLive computes liveness by iteration over the reachable blocks. A phi's
// operands are live at the end of the predecessors; the phi itself is not live
// in at its block.
func NewLive(f *Func) *Live {
	l := &Live{dense: make([]int32, f.NumValues())}
	post := Postorder(f)
	add := func(v *Value) {
		if v != nil && l.dense[v.ID] == 0 {
			l.Values = append(l.Values, v)
			l.dense[v.ID] = int32(len(l.Values))
		}
	}
	for _, b := range post {
		for _, v := range b.Values {
			for _, a := range v.Args {
				if v.Op == OpPhi || a.Block != b {
					add(a)
				}
			}
		}
		if b.Ctrl != nil && b.Ctrl.Block != b {
			add(b.Ctrl)
		}
		for _, r := range b.Rets {
			if r.Block != b {
				add(r)
			}
		}
	}
	l.words = (len(l.Values) + 63) / 64
	nb := f.NumBlocks()
	l.in = make([]uint64, nb*l.words)
	l.out = make([]uint64, nb*l.words)
	if l.words == 0 {
		return l
	}
	// use and def of each block; use is kept in `in` as its first value.
	def := make([]uint64, nb*l.words)
	set := func(s []uint64, b *Block, v *Value) {
		if n := l.dense[v.ID] - 1; n >= 0 {
			s[int(b.ID)*l.words+int(n)/64] |= 1 << (uint(n) % 64)
		}
	}
	for _, b := range post {
		for _, v := range b.Values {
			set(def, b, v)
			if v.Op == OpPhi {
				for k, a := range v.Args {
					if k < len(b.Preds) {
						set(l.out, b.Preds[k], a)
					}
				}
				continue
			}
			for _, a := range v.Args {
				if a.Block != b {
					set(l.in, b, a)
				}
			}
		}
		if b.Ctrl != nil && b.Ctrl.Block != b {
			set(l.in, b, b.Ctrl)
		}
		for _, r := range b.Rets {
			if r.Block != b {
				set(l.in, b, r)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, b := range post {
			w := l.words
			in := l.in[int(b.ID)*w : int(b.ID+1)*w]
			out := l.out[int(b.ID)*w : int(b.ID+1)*w]
			d := def[int(b.ID)*w : int(b.ID+1)*w]
			for _, s := range b.Succs {
				for i, x := range l.in[int(s.ID)*w : int(s.ID+1)*w] {
					out[i] |= x
				}
			}
			for i, x := range out {
				if n := in[i] | x&^d[i]; n != in[i] {
					in[i] = n
					changed = true
				}
			}
		}
	}
	return l
}

// In reports whether v is live at the start of b.
func (l *Live) In(b *Block, v *Value) bool { return l.has(l.in, b, v) }

// Out reports whether v is live at the end of b.
func (l *Live) Out(b *Block, v *Value) bool { return l.has(l.out, b, v) }

func (l *Live) has(s []uint64, b *Block, v *Value) bool {
	n := l.dense[v.ID] - 1
	return n >= 0 && s[int(b.ID)*l.words+int(n)/64]>>(uint(n)%64)&1 != 0
}

// EachOut calls fn for every value that is live at the end of b.
func (l *Live) EachOut(b *Block, fn func(*Value)) { l.each(l.out, b, fn) }

// EachIn calls fn for every value that is live at the start of b.
func (l *Live) EachIn(b *Block, fn func(*Value)) { l.each(l.in, b, fn) }

func (l *Live) each(s []uint64, b *Block, fn func(*Value)) {
	for i, w := range s[int(b.ID)*l.words : int(b.ID+1)*l.words] {
		for ; w != 0; w &= w - 1 {
			fn(l.Values[i*64+bits.TrailingZeros64(w)])
		}
	}
}
