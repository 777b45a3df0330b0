package ir

import "slices"

// A LocalTable describes the pointers in the locals of a function, for the collector: the locals of
// an activation are in a shadow frame in linear memory, laid out by LocalOffsets. A back end makes
// one with a LocalTabler and keeps it with the code.
type LocalTable struct {
	Ptrs  []LocalPtrs // the pointers, in the order of LocalLive's numbers
	Masks []uint64    // the masks that Ptrs refer to, of units with many pointers
	Spans []LocalSpan // the locals that have pointers, by offset
	Runs  []LocalRun  // the results of LocalTabler.At refer to them
}

// LocalPtrs describes one unit of LocalLive. If Words is 0, the unit is the pointer at Off in the shadow frame. Otherwise it is all
// pointers of the local at Off, and Masks[Mask:Mask+Words] has a bit for each word of the local.
type LocalPtrs struct{ Off, Mask, Words uint32 }

// A LocalRun is Ptrs[From:To].
type LocalRun struct{ From, To uint32 }

// A LocalSpan is a local with pointers: its place in the shadow frame.
type LocalSpan struct {
	Off, End uint32
	Ptrs     LocalRun
}

// LocalOffsets lays out a function's locals in its shadow frame, those with pointers first, and returns
// the size of the frame, a multiple of 16. The pointer of an empty slice may lie just past the end of its
// local. So no local with pointers begins there, neither in this frame nor in the next.
func (f *Func) LocalOffsets() (offs []int64, size int64) {
	if len(f.Locals) == 0 {
		return nil, 0
	}
	offs = make([]int64, len(f.Locals))
	for pass := 0; pass < 2; pass++ {
		for i := range f.Locals {
			l := &f.Locals[i]
			if (len(l.Ptrs) != 0) != (pass == 0) {
				continue
			}
			a := max(l.Align, 1)
			if pass == 0 && size > 0 {
				size++
			}
			size = (size + a - 1) / a * a
			offs[i] = size
			size += l.Size
		}
	}
	return offs, (size + 16) &^ 15
}

// A LocalTabler makes the LocalTable of one function while its code is made.
type LocalTabler struct {
	f     *Func
	offs  []int64
	live  *LocalLive // nil: there are no pointers in locals
	table LocalTable
	runAt map[string]uint32
	known map[int32]runsAt // the results of At for a set alone: many safepoints share a set
}

// runsAt names Runs[at:at+n] of a table.
type runsAt struct{ at, n uint32 }

// NewLocalTabler begins the table of a function whose locals are at offs, as LocalOffsets says. It
// also makes the tables of functions without locals.
func NewLocalTabler(f *Func, offs []int64) LocalTabler {
	t := LocalTabler{f: f, offs: offs}
	if f.LocalLive == nil || len(f.LocalLive.units) == 0 {
		return t
	}
	t.live = f.LocalLive
	t.runAt, t.known = map[string]uint32{}, map[int32]runsAt{}
	t.table.Ptrs = make([]LocalPtrs, len(t.live.units))
	last := 0 // where the last mask begins
	for i := range f.Locals {
		from, to := t.live.first[i], t.live.first[i+1]
		for k := from; k < to; k++ {
			u, p := &t.live.units[k], &t.table.Ptrs[k]
			if !u.many {
				p.Off = uint32(offs[i] + u.from)
				continue
			}
			mask := f.Locals[i].Ptrs
			if !slices.Equal(t.table.Masks[last:], mask) { // else it is a local of the same type
				last = len(t.table.Masks)
				t.table.Masks = append(t.table.Masks, mask...)
			}
			*p = LocalPtrs{uint32(offs[i]), uint32(last), uint32(len(mask))}
		}
		if from < to {
			t.table.Spans = append(t.table.Spans, LocalSpan{uint32(offs[i]), uint32(offs[i] + f.Locals[i].Size), LocalRun{uint32(from), uint32(to)}})
		}
	}
	slices.SortFunc(t.table.Spans, func(a, b LocalSpan) int { return int(a.Off) - int(b.Off) })
	return t
}

// Zeroed returns the size of the part of the shadow frame that is zeroed at entry: up to the last
// pointer that the collector may read before it is written.
func (t *LocalTabler) Zeroed() int64 {
	var n int64
	if t.live == nil {
		return n
	}
	for i := range t.f.Locals {
		for k := t.live.first[i]; k < t.live.first[i+1]; k++ {
			if t.live.has(t.live.Entry, k) {
				n = max(n, t.offs[i]+t.live.units[k].to)
			}
		}
	}
	return n
}

// At returns which pointers in locals are live at a safepoint, or (nil) where a panic may begin:
// Runs[run:run+n] of the table. kept are the locals that the safepoint's keep names (Value.Kept);
// all their pointers are live.
func (t *LocalTabler) At(safepoint *Value, kept []int32) (run, n uint32) {
	if t.live == nil {
		return 0, 0
	}
	set := t.live.Recover
	if safepoint != nil {
		set = safepoint.Live
	}
	if len(kept) == 0 {
		if r, ok := t.known[set]; ok {
			return r.at, r.n
		}
		defer func() { t.known[set] = runsAt{run, n} }()
	}
	var runs []LocalRun
	var key []byte
	t.live.Each(set, kept, func(from, to int32) {
		runs = append(runs, LocalRun{uint32(from), uint32(to)})
		key = append(key, byte(from), byte(from>>8), byte(from>>16), byte(from>>24), byte(to), byte(to>>8), byte(to>>16),
			byte(to>>24))
	})
	at, ok := t.runAt[string(key)]
	if !ok {
		at = uint32(len(t.table.Runs))
		t.table.Runs = append(t.table.Runs, runs...)
		t.runAt[string(key)] = at
	}
	return at, uint32(len(runs))
}

// Table returns the table, after all calls of At.
func (t *LocalTabler) Table() LocalTable { return t.table }
