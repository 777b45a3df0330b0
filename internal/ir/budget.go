package ir

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// # Budgets
//
// A hostile program can make a function arbitrarily large. So everything that costs more than
// linear time has a budget, in operations of the IR as phase A leaves it. FixRoots decides once,
// for both tiers, whether a function keeps it:
//
//   - Of operations. A larger function gets only the cheap passes of phase B.
//   - Of live ranges: the sum over all values of the blocks between their definition
//     and their last use. Every liveness analysis takes time and memory in
//     proportion to that sum, which grows with the square of the function. Values
//     with the longest ranges are moved into locals until the rest keeps the budget,
//     so the same holds for every later analysis and every back end.
//
// Neither changes what the program computes. Functions of real programs are far from both: the
// largest of std's have 4,400 operations and 12,400 pairs of a block and a value that is live
// there.

const (
	maxSize   = 1 << 14
	maxRanges = 1 << 18
)

// Large reports whether f exceeds a budget.
func (f *Func) Large() bool { return f.Size > maxSize || f.Moved > 0 }

// OverBudget names the budget that f exceeds, "" if none.
func (f *Func) OverBudget() string {
	var list []string
	if f.Size > maxSize {
		list = append(list, fmt.Sprintf("%d operations, %d are the budget", f.Size, maxSize))
	}
	if f.Moved > 0 {
		list = append(list, fmt.Sprintf("%d values with the longest live ranges are in memory", f.Moved))
	}
	return strings.Join(list, "; ")
}

// size counts the operations; a phi counts once per operand, like a move.
func (f *Func) size() int {
	n := 0
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			switch {
			case v.Op == OpPhi:
				n += len(v.Args)
			case !v.IsCount():
				n++
			}
		}
	}
	return n
}

// keepBudgets decides whether f is large, and moves values into locals.
func (f *Func) keepBudgets() {
	f.Size = int64(f.size())
	if len(f.Blocks) < 2 || f.Size*int64(len(f.Blocks)) <= maxRanges {
		return // the sum cannot be larger
	}
	order := Postorder(f)
	slices.Reverse(order)
	in := f.intervals(order)
	sum := 0
	var list []*Value
	length := make([]int32, f.NumValues())
	for i, b := range order {
		for _, v := range b.Values {
			if in.last[v.ID] <= in.def[v.ID] {
				continue
			}
			n := in.block(in.last[v.ID]) - int32(i)
			length[v.ID] = n
			if sum += int(n); n > 1 && v.Op != OpConst && v.Op != OpLocalAddr && v.Type != Void {
				list = append(list, v)
			}
		}
	}
	if sum <= maxRanges {
		return
	}
	slices.SortStableFunc(list, func(x, y *Value) int { return cmp.Compare(length[y.ID], length[x.ID]) })
	for i, v := range list {
		if sum <= maxRanges {
			list = list[:i]
			break
		}
		sum -= int(length[v.ID])
	}
	f.Moved = int64(len(list))
	f.spill(list)
}

// spill moves values into locals: each is stored at its definition and loaded at its uses.
func (f *Func) spill(list []*Value) {
	local := make([]int64, f.NumValues()) // by value ID, +1
	for _, v := range list {
		l := Local{Name: "spilled", Size: 8, Align: 8}
		if v.Type == Ptr {
			l.Ptrs = []uint64{1}
		}
		local[v.ID] = f.AddLocal(l) + 1
	}
	slots := len(local)
	at := func(a *Value) int64 {
		if int(a.ID) < slots {
			return local[a.ID]
		}
		return 0
	}
	addr := func(b *Block, out *[]*Value, l int64, pos Pos) *Value {
		v := f.NewValue(OpLocalAddr, Ptr)
		v.Aux, v.Block, v.Pos = l-1, b, pos
		*out = append(*out, v)
		return v
	}
	for _, b := range f.Blocks {
		out := make([]*Value, 0, 2*len(b.Values))
		reload := func(a *Value, pos Pos) *Value {
			v := f.NewValue(OpLoad, a.Type, addr(b, &out, at(a), pos))
			v.Block, v.Pos = b, pos
			out = append(out, v)
			return v
		}
		var stores []*Value // names to be stored at the next place where a store may stand
		flush := func() {
			for _, v := range stores {
				s := f.NewValue(OpStore, Void, addr(b, &out, at(v), v.Pos), v)
				s.Block, s.Pos = b, v.Pos
				out = append(out, s)
			}
			stores = stores[:0]
		}
		for _, v := range b.Values {
			switch v.Op {
			case OpPhi, OpArg, OpClosure, OpResult:
			default:
				flush()
				for i, a := range v.Args {
					if at(a) != 0 {
						v.Args[i] = reload(a, v.Pos)
					}
				}
			}
			out = append(out, v)
			if at(v) != 0 {
				stores = append(stores, v)
			}
		}
		flush()
		if b.Ctrl != nil && at(b.Ctrl) != 0 {
			b.Ctrl = reload(b.Ctrl, b.Pos)
		}
		for i, r := range b.Rets {
			if at(r) != 0 {
				b.Rets[i] = reload(r, b.Pos)
			}
		}
		loaded := map[*Value]*Value{} // the edges of a switch to one block carry one value
		for _, s := range b.Succs {
			for j, p := range s.Preds {
				if p != b {
					continue
				}
				for _, phi := range s.Phis() {
					a := phi.Args[j]
					if at(a) == 0 {
						continue
					}
					if loaded[a] == nil {
						loaded[a] = reload(a, b.Pos)
					}
					phi.Args[j] = loaded[a]
				}
			}
		}
		b.Values = out
	}
}
