package ir

import (
	"cmp"
	"slices"
)

// # Roots
//
// The objects that a collection finds from the SSA names of a function are fixed on the IR as phase
// A leaves it: they decide which objects die, and phase B may not change that. FixRoots writes them
// down as operations. A keep follows every safepoint at which names of pointers are live: after the
// results of a call, after a loop charge, and after the parameters of the function for its entry.
// Its operands are the objects' base addresses (the origins of ptradd and ptridx), without
// constants and addresses of locals. Arguments of a host function count as live until it returns.
//
// A keep is an ordinary use for every pass: operands are replaced by equal names and never dropped.
// A back end makes no code of it; it holds the operands across the safepoint, and only they are
// roots there. That is enough for other names that phase B keeps: memory does not move, and a name
// that replaces a load after the safepoint is found through the memory that the load would have
// read.

// Aux of OpKeep: what it belongs to.
const (
	KeepSafepoint = 0 // the safepoint before it in its block
	KeepEntry     = 1 // the entry of the function
)

// maxKeep bounds the operands of all keeps of a function. Beyond it the pointers that are live at
// most safepoints become locals.
const maxKeep = 1 << 17

// FixRoots decides what the collector finds from an activation of f: it makes f keep its budgets,
// places the keeps, then fixes the locals (see LocalLive). It belongs between the phases of the
// optimiser. A second call does nothing.
func (f *Func) FixRoots() {
	if f.RootsFixed || f.Entry == nil {
		return
	}
	f.RootsFixed = true
	f.keepBudgets()
	k := &keeper{f: f}
	if n := k.count(); n > maxKeep {
		k.demote(n - maxKeep)
		k = &keeper{f: f}
		k.count()
	}
	k.place()
	f.fixLocals()
}

// A keeper finds the pointers that are live at the safepoints of a function.
type keeper struct {
	f    *Func
	base []*Value // by value ID: the address that keeps the object, nil: not needed
	sets map[*Value][]*Value
	uses []int32 // by value ID: safepoints at which the name is live
}

// count computes the operands of all keeps and returns their number.
func (k *keeper) count() int {
	f := k.f
	post := Postorder(f)
	any := false
	for _, b := range post {
		for _, v := range b.Values {
			any = any || v.Type == Ptr
		}
	}
	if !any {
		return 0
	}
	k.base = make([]*Value, f.NumValues())
	k.sets = map[*Value][]*Value{}
	k.uses = make([]int32, f.NumValues())
	for i := len(post) - 1; i >= 0; i-- { // dominators first
		for _, v := range post[i].Values {
			if v.Type == Ptr {
				k.base[v.ID] = k.baseOf(v)
			}
		}
	}
	live := NewLive(f, func(v *Value) bool { return v.Type == Ptr && v.Op != OpConst })
	total := 0
	var list []*Value // live pointers, as bases; holes are nil
	place := make([]int32, f.NumValues())
	refs := make([]int32, f.NumValues())
	counted := make([]int32, f.NumValues()) // 0: not live, else the number of safepoints when it became live, +1
	points := int32(0)
	// A base is in the list as long as a name computed from it is live.
	add := func(v *Value) {
		if v.Type != Ptr || counted[v.ID] != 0 {
			return
		}
		counted[v.ID] = points + 1
		if b := k.base[v.ID]; b != nil {
			if refs[b.ID]++; refs[b.ID] == 1 {
				list = append(list, b)
				place[b.ID] = int32(len(list))
			}
		}
	}
	remove := func(v *Value) {
		if counted[v.ID] == 0 {
			return
		}
		k.uses[v.ID] += points + 1 - counted[v.ID]
		counted[v.ID] = 0
		if b := k.base[v.ID]; b != nil {
			if refs[b.ID]--; refs[b.ID] == 0 {
				last := list[len(list)-1]
				list[place[b.ID]-1] = last
				place[last.ID] = place[b.ID]
				list = list[:len(list)-1]
			}
		}
	}
	record := func(at *Value) {
		if points++; len(list) == 0 {
			return
		}
		if total += len(list); total <= maxKeep {
			s := append([]*Value(nil), list...)
			slices.SortFunc(s, func(a, b *Value) int { return int(a.ID - b.ID) })
			k.sets[at] = s
		}
	}
	var names []*Value
	for _, b := range post {
		names = names[:0]
		for _, v := range live.Out(b) {
			names = append(names, v)
			add(v)
		}
		use := func(v *Value) {
			if v.Type == Ptr && counted[v.ID] == 0 {
				names = append(names, v)
				add(v)
			}
		}
		if b.Ctrl != nil {
			use(b.Ctrl)
		}
		for _, r := range b.Rets {
			use(r)
		}
		for i := len(b.Values) - 1; i >= 0; i-- {
			v := b.Values[i]
			if v.Op == OpPhi {
				break
			}
			remove(v)
			if v.Op == OpHost { // a host function may collect before it looks at its arguments
				for _, a := range v.Args {
					use(a)
				}
			}
			if v.HasEffect(Safepoint) {
				record(v)
			}
			if v.Op == OpResult {
				continue // names made by its call
			}
			for _, a := range v.Args {
				use(a)
			}
		}
		for _, v := range names {
			remove(v)
		}
	}
	return total
}

// entry returns the pointer parameters that are used: those live at the entry.
func (k *keeper) entry() []*Value {
	f := k.f
	used := make([]bool, f.NumValues())
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				used[a.ID] = true
			}
		}
		for _, r := range b.Rets {
			used[r.ID] = true
		}
	}
	var s []*Value
	for _, v := range f.Entry.Values {
		if v.Type == Ptr && (v.Op == OpArg || v.Op == OpClosure) && used[v.ID] {
			s = append(s, v)
		}
	}
	return s
}

// baseOf returns the address that keeps the object of p alive, nil for a constant
// or the address of a local. The bases of p's operands are known.
func (k *keeper) baseOf(p *Value) *Value {
	switch p.Op {
	case OpConst, OpLocalAddr:
		return nil
	case OpPtrAdd, OpPtrIdx, OpCopy:
		return k.base[p.Args[0].ID]
	}
	return p
}

// place puts the keeps into the blocks.
func (k *keeper) place() {
	if k.base == nil {
		return
	}
	f := k.f
	entry := k.entry()
	for _, b := range f.Blocks {
		extra := 0
		for _, v := range b.Values {
			if k.sets[v] != nil {
				extra++
			}
		}
		first := b == f.Entry && len(entry) > 0
		if extra == 0 && !first {
			continue
		}
		out := make([]*Value, 0, len(b.Values)+extra+1)
		var open []*Value // the operands of the next keep
		aux := int64(KeepSafepoint)
		var pos Pos
		flush := func() {
			if open != nil {
				v := f.NewValue(OpKeep, Void, open...)
				v.Block, v.Aux, v.Pos = b, aux, pos
				out = append(out, v)
				open = nil
			}
		}
		if first {
			open, aux, pos = entry, KeepEntry, f.Pos
		}
		for _, v := range b.Values {
			if open != nil && v.Op != OpResult && !(aux == KeepEntry && (v.Op == OpArg || v.Op == OpClosure)) {
				flush()
			}
			out = append(out, v)
			if s := k.sets[v]; s != nil {
				flush()
				open, aux, pos = s, KeepSafepoint, v.Pos
			}
		}
		flush()
		b.Values = out
	}
}

// demote moves pointers that are live at many safepoints into locals, until n operands of keeps are
// saved: a local costs one bit per safepoint.
func (k *keeper) demote(n int) {
	f := k.f
	var list []*Value
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if k.uses[v.ID] > 0 && k.base[v.ID] != nil {
				list = append(list, v)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *Value) int { return cmp.Compare(k.uses[b.ID], k.uses[a.ID]) })
	for i, v := range list {
		if n <= 0 {
			list = list[:i]
			break
		}
		n -= int(k.uses[v.ID])
	}
	f.spill(list)
}

// Settle brings a function into its final form for back ends: it fixes what phase B may not change,
// if that is not done yet, and no pass may follow. A second call does nothing.
func (f *Func) Settle() {
	f.FixRoots()
	f.FixFrame()
	f.SettleKeeps()
}

// SettleKeeps gives the keeps of a function their form for back ends, when no pass will follow:
// operands are base addresses, each once. Back ends may run at the same time afterwards.
func (f *Func) SettleKeeps() {
	if f.keptLocals != nil {
		return
	}
	kept := map[*Value][]int32{}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == OpKeep {
				bases, locals := v.Kept()
				v.Args = bases
				if len(locals) > 0 {
					kept[v] = locals
				}
			}
		}
	}
	f.keptLocals = kept
}

// Kept returns the operands of a keep as a back end needs them: the base
// addresses, each once, and the locals whose addresses passes put there.
func (v *Value) Kept() (bases []*Value, locals []int32) {
	if f := v.Block.Func; f.keptLocals != nil {
		return v.Args, f.keptLocals[v]
	}
	for _, a := range v.Args {
		for a.Op == OpCopy || a.Op == OpPtrAdd || a.Op == OpPtrIdx {
			a = a.Args[0]
		}
		switch a.Op {
		case OpConst:
			continue
		case OpLocalAddr:
			locals = appendNew(locals, int32(a.Aux))
		default:
			bases = appendNew(bases, a)
		}
	}
	return bases, locals
}

func appendNew[T comparable](s []T, x T) []T {
	for _, y := range s {
		if x == y {
			return s
		}
	}
	return append(s, x)
}
