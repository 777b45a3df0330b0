package ir

import "slices"

// A LocalTable describes the pointers in the locals of a function, for the
// collector: the locals of an activation stand in a shadow frame in linear memory, laid
// out by LocalOffsets. A back end makes one with a LocalTabler and keeps it with the code.
type LocalTable struct {
	Ptrs  []uint32    // offsets of the pointers, in the order of LocalLive's numbers
	Spans []LocalSpan // the locals that have pointers, by offset
	Runs  []LocalRun  // what LocalTabler.At returned names some of them
}

// A LocalRun is Ptrs[From:To].
type LocalRun struct{ From, To uint32 }

// A LocalSpan is a local with pointers: its place in the shadow frame.
type LocalSpan struct {
	Off, End uint32
	Ptrs     LocalRun
}

// LocalOffsets lays out a function's locals in its shadow frame, those with
// pointers first, and returns the size of the frame, a multiple of 16.
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
			size = (size + a - 1) / a * a
			offs[i] = size
			size += l.Size
		}
	}
	return offs, (size + 15) &^ 15
}

// A LocalTabler makes the LocalTable of one function while its code is made.
type LocalTabler struct {
	f     *Func
	offs  []int64
	live  *LocalLive // nil: there are no pointers in locals
	table LocalTable
	runAt map[string]uint32
	known map[int32]runsAt // what At returned for a set alone: many safepoints have one set
}

// runsAt names Runs[at:at+n] of a table.
type runsAt struct{ at, n uint32 }

// NewLocalTabler begins the table of a function whose locals stand at offs, as
// LocalOffsets says. It gives the tables of a function without locals too.
func NewLocalTabler(f *Func, offs []int64) LocalTabler {
	t := LocalTabler{f: f, offs: offs}
	for i := range f.Locals {
		l := &f.Locals[i]
		for w := int64(0); w < (l.Size+7)/8; w++ {
			if l.HasPtr(w) {
				t.table.Ptrs = append(t.table.Ptrs, uint32(offs[i]+8*w))
			}
		}
	}
	if len(t.table.Ptrs) > 0 {
		t.live = f.LocalLive
		t.runAt, t.known = map[string]uint32{}, map[int32]runsAt{}
	}
	return t
}

// Zeroed is the size of the part of the shadow frame that is zeroed at
// entry: up to the last pointer that the collector may look at before it is written.
func (t *LocalTabler) Zeroed() int64 {
	var n int64
	if t.live != nil {
		t.live.Each(t.live.Entry, nil, func(_, to int32) { n = max(n, int64(t.table.Ptrs[to-1])+8) })
	}
	return n
}

// At returns which pointers in locals are live at a safepoint, or (nil) where a
// panic may begin: Runs[run:run+n] of the table. kept are the locals that the
// safepoint's keep names (Value.Kept), of which all pointers are.
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

// Table returns the table, when At has been asked everything.
func (t *LocalTabler) Table() LocalTable {
	o := t.table
	at := uint32(0)
	for i := range t.f.Locals {
		l := &t.f.Locals[i]
		from := at
		for end := uint32(t.offs[i] + l.Size); at < uint32(len(o.Ptrs)) && o.Ptrs[at] >= uint32(t.offs[i]) &&
			o.Ptrs[at] < end; {
			at++
		}
		if from < at {
			o.Spans = append(o.Spans, LocalSpan{uint32(t.offs[i]), uint32(t.offs[i] + l.Size), LocalRun{from, at}})
		}
	}
	slices.SortFunc(o.Spans, func(a, b LocalSpan) int { return int(a.Off) - int(b.Off) })
	return o
}
