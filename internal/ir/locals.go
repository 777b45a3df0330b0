package ir

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// A LocalLive says which pointers in the locals of a function the collector follows at each
// safepoint, as long as nothing else leads it to a local.
//
// A pointer is live if a path leads to a use of its local before the word is overwritten. A use is
// any operation with the local's address as an operand (an address computed only by ptradd, ptridx
// and copy), except a store to the local and a comparison. An address that a phi or a select chose,
// or that was stored or passed on, keeps nothing live for longer: when the collector meets it, it
// follows the whole local (a stack object, in Go's words).
//
// The operands of a safepoint itself are not live there unless there is another use later: the
// callee keeps its parameters alive.
//
// Liveness decides what is collected, so phase B may not change it. It would: a load that it
// replaces is a use that disappears. Therefore FixRoots computes this on the IR as phase A leaves
// it, and notes for each safepoint the set (Value.Live); copies of the operation keep it. The back
// end adds the locals that a keep names. Phase B may resolve a phi of addresses; then no register
// holds the address any more that would lead the collector to the whole local.
type LocalLive struct {
	// Recover is the set at the places where a panic may continue in the recovery block; Entry
	// is the set of pointers whose memory is read before it is written.
	Recover, Entry int32

	units []localUnit
	first []int32 // by local: its first unit; one more at the end
	words int     // of a set
	sets  []uint64
	index map[string]int32
	at    []int32 // by value ID
	all   bool    // the function is too large for the analysis: everything is live everywhere, see clearLocals
}

// A localUnit is a pointer in a local, or all pointers of one that has many.
type localUnit struct {
	from, to int64 // bytes from the local's start
	many     bool  // all pointers of the local
}

const (
	maxUnits    = 32      // of one local
	maxLiveBits = 1 << 25 // units times blocks
)

// fixLocals computes f.LocalLive and the Live fields.
func (f *Func) fixLocals() {
	if len(f.Locals) == 0 {
		return
	}
	l := newLocalLive(f)
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			v.Live = l.setAt(v)
		}
	}
	if l.all {
		f.clearLocals()
	}
	l.at, l.index = nil, nil
	f.LocalLive = l
}

// ClearPrice is the price of clearing n bytes, in tenths of a unit of gas. The other prices are in
// package gas: clearLocals needs this one too.
func ClearPrice(n int64) int64 {
	if n <= 64 {
		return 4 + n>>3
	}
	return BulkPrice(n)
}

// Constants of OpMemHash, which package exec describes: the first is combined with the seed, the second
// with the length and after the last word, the third after all others.
const (
	HashSeed uint64 = 0xa0761d6478bd642f
	HashLast uint64 = 0xe7037ed1a0b428db
	HashWord uint64 = 0x8ebc6af09c88c6e3
)

// MoveWeight is the price of moving or clearing a byte if the bytes are counted, in 1/128 units of
// gas.
const MoveWeight = 4

// HashWeight is that of hashing a byte.
const HashWeight = 8

// BulkPrice is the price of moving or clearing n bytes by a call, in tenths of a unit of gas.
func BulkPrice(n int64) int64 { return 20 + 10*MoveWeight*n>>7 }

// clearBatch is how many bytes one charge of clearLocals pays for: few enough that a run ends in
// time.
const clearBatch = 64 << 10

// clearLocals adds operations to the entry that clear all locals with pointers. It serves functions
// that are too large for an analysis: the collector looks at all their locals, so each must be
// clear before the first safepoint. Clearing may take far longer than the code of the function. The
// operations are charged if the function's own are.
func (f *Func) clearLocals() {
	paid := false
	for _, b := range f.Blocks {
		paid = paid || slices.ContainsFunc(b.Values, func(v *Value) bool { return v.Op.Charges() })
	}
	at := slices.IndexFunc(f.Entry.Values, func(v *Value) bool {
		return v.Op != OpArg && v.Op != OpClosure && (v.Op != OpKeep || v.Aux != KeepEntry)
	})
	if at < 0 {
		at = len(f.Entry.Values)
	}
	var list []*Value
	add := func(op Op, t Type, aux int64, args ...*Value) *Value {
		v := f.NewValue(op, t, args...)
		v.Block, v.Pos, v.Aux = f.Entry, f.Pos, aux
		list = append(list, v)
		return v
	}
	var charge *Value
	var bytes, price int64
	for i := range f.Locals {
		l := &f.Locals[i]
		if len(l.Ptrs) == 0 {
			continue
		}
		if paid && (charge == nil || bytes >= clearBatch) {
			charge, bytes, price = add(OpGas, Void, 0), 0, 0
		}
		add(OpClear, Void, l.Size, add(OpLocalAddr, Ptr, int64(i)))
		if bytes += l.Size; paid {
			price += ClearPrice(l.Size)
			charge.Aux = (price + 9) / 10
		}
	}
	f.Entry.Values = slices.Insert(f.Entry.Values, at, list...)
}

// newLocalLive computes what is live in f as it is now.
func newLocalLive(f *Func) *LocalLive {
	a := &localAnalysis{f: f, LocalLive: &LocalLive{index: map[string]int32{}}}
	if a.makeUnits(false); len(a.units)*f.NumBlocks() > maxLiveBits {
		a.makeUnits(true)
	}
	a.all = len(a.units)*f.NumBlocks() > maxLiveBits
	a.intern(make([]uint64, a.words)) // set 0 is empty
	switch {
	case len(a.units) == 0:
	case a.all:
		all := make([]uint64, a.words)
		setRange(all, 0, int32(len(a.units)))
		a.Recover = a.intern(all)
	default:
		a.run()
	}
	return a.LocalLive
}

// coarse reports whether no local has more than one unit.
func (l *LocalLive) coarse() bool {
	for i := range l.first[1:] {
		if l.first[i+1]-l.first[i] > 1 {
			return false
		}
	}
	return true
}

// setAt returns the set of a safepoint of the function that was analysed.
func (l *LocalLive) setAt(v *Value) int32 {
	if !v.HasEffect(Safepoint) {
		return 0
	}
	if l.all {
		return l.Recover
	}
	if int(v.ID) < len(l.at) {
		return l.at[v.ID]
	}
	return 0
}

// Each calls fn for the runs of units in a set and in the given locals. A unit is a pointer, or all
// pointers of a local that has many. Units are numbered through all locals in their order.
func (l *LocalLive) Each(set int32, locals []int32, fn func(from, to int32)) {
	x := l.set(set)
	if len(locals) > 0 {
		x = append([]uint64(nil), x...)
		for _, n := range locals {
			setRange(x, l.first[n], l.first[n+1])
		}
	}
	from, to := int32(0), int32(0)
	for i, w := range x {
		for ; w != 0; w &= w - 1 {
			u := int32(i*64 + bits.TrailingZeros64(w))
			if u != to {
				if from < to {
					fn(from, to)
				}
				from = u
			}
			to = u + 1
		}
	}
	if from < to {
		fn(from, to)
	}
}

// Holds reports whether a pointer in local number n is in a set.
func (l *LocalLive) Holds(set int32, n int) bool {
	for u := l.first[n]; u < l.first[n+1]; u++ {
		if l.has(set, u) {
			return true
		}
	}
	return false
}

func (l *LocalLive) has(set, unit int32) bool { return l.set(set)[unit/64]>>(unit%64)&1 != 0 }

func (l *LocalLive) set(i int32) []uint64 { return l.sets[int(i)*l.words : int(i+1)*l.words] }

func (l *LocalLive) intern(s []uint64) int32 {
	key := make([]byte, 0, 8*len(s))
	for _, w := range s {
		key = binary.LittleEndian.AppendUint64(key, w)
	}
	if i, ok := l.index[string(key)]; ok {
		return i
	}
	i := int32(len(l.index))
	l.index[string(key)] = i
	l.sets = append(l.sets, s...)
	return i
}

type localAnalysis struct {
	*LocalLive
	f     *Func
	local []int32 // by value ID: the local that the value points into, plus 1
	off   []int64 // by value ID: the offset, if known
	rec   []uint64
}

const unknownOff = math.MinInt64

func (a *localAnalysis) makeUnits(perLocal bool) {
	a.units, a.first = a.units[:0], make([]int32, 0, len(a.f.Locals)+1)
	most := maxUnits
	if perLocal {
		most = 1
	}
	for i := range a.f.Locals {
		at := len(a.units)
		a.first = append(a.first, int32(at))
		ptrs := a.f.Locals[i].Ptrs
	words:
		for k, x := range ptrs {
			for ; x != 0; x &= x - 1 {
				if len(a.units) == at+most { // it has more than that
					last := len(ptrs) - 1
					for ptrs[last] == 0 {
						last--
					}
					u := &a.units[at]
					u.to, u.many = int64(last*64+bits.Len64(ptrs[last]))*8, true
					a.units = a.units[:at+1]
					break words
				}
				from := int64(k*64+bits.TrailingZeros64(x)) * 8
				a.units = append(a.units, localUnit{from: from, to: from + 8})
			}
		}
	}
	a.first = append(a.first, int32(len(a.units)))
	a.words = (len(a.units) + 63) / 64
}

func setRange(s []uint64, from, to int32) {
	for i := from; i < to; i++ {
		s[i/64] |= 1 << (i % 64)
	}
}

func (a *localAnalysis) run() {
	f, w := a.f, a.words
	post := Postorder(f)
	a.addresses(post)
	a.at = make([]int32, f.NumValues())
	in := make([]uint64, f.NumBlocks()*w)
	of := func(s []uint64, b *Block) []uint64 { return s[int(b.ID)*w : int(b.ID+1)*w] }
	solve := func() {
		s := make([]uint64, w)
		for changed := true; changed; {
			changed = false
			for _, b := range post {
				clear(s)
				for _, t := range b.Succs {
					for i, x := range of(in, t) {
						s[i] |= x
					}
				}
				a.block(b, s, false)
				for i, x := range of(in, b) {
					changed = changed || s[i]&^x != 0
					of(in, b)[i] |= s[i]
				}
			}
		}
	}
	solve()
	if f.Recover != nil {
		r := of(in, f.Recover)
		for _, x := range r {
			if x != 0 {
				a.rec = append([]uint64(nil), r...)
				solve() // with the edges from the places where a panic may begin
				break
			}
		}
		a.Recover = a.intern(of(in, f.Recover))
	}
	a.Entry = a.intern(of(in, f.Entry))
	s := make([]uint64, w)
	for _, b := range post {
		clear(s)
		for _, t := range b.Succs {
			for i, x := range of(in, t) {
				s[i] |= x
			}
		}
		a.block(b, s, true)
	}
}

// addresses finds the values that are addresses in locals, on whatever path.
func (a *localAnalysis) addresses(post []*Block) {
	a.local = make([]int32, a.f.NumValues())
	a.off = make([]int64, a.f.NumValues())
	for i := len(post) - 1; i >= 0; i-- {
		for _, v := range post[i].Values {
			switch v.Op {
			case OpLocalAddr:
				a.local[v.ID] = int32(v.Aux) + 1
			case OpCopy, OpPtrAdd, OpPtrIdx:
				p := v.Args[0]
				if a.local[p.ID] == 0 {
					continue
				}
				a.local[v.ID] = a.local[p.ID]
				off := a.off[p.ID]
				if v.Op != OpCopy && off != unknownOff {
					switch x := v.Args[1]; {
					case x.Op != OpConst:
						off = unknownOff
					case v.Op == OpPtrAdd:
						off += x.Aux
					default:
						off += x.Aux*v.Aux + v.Aux2
					}
				}
				a.off[v.ID] = off
			}
		}
	}
}

// block goes backward through b: s is the live set at its end, then at its start. With note it
// records the sets of the safepoints.
func (a *localAnalysis) block(b *Block, s []uint64, note bool) {
	for _, t := range b.Succs {
		for k, p := range t.Preds {
			if p != b {
				continue
			}
			for _, phi := range t.Phis() {
				if k < len(phi.Args) {
					a.use(s, phi.Args[k])
				}
			}
		}
	}
	for _, r := range b.Rets {
		a.use(s, r)
	}
	for i := len(b.Values) - 1; i >= 0; i-- {
		v := b.Values[i]
		e := v.Op.Effects()
		if a.rec != nil && e&(MayTrap|Safepoint) != 0 {
			for i, x := range a.rec {
				s[i] |= x
			}
		}
		if note && e&Safepoint != 0 {
			a.at[v.ID] = a.intern(s)
		}
		switch v.Op {
		case OpPhi, OpCopy, OpPtrAdd, OpPtrIdx, OpNilCheck, OpEq, OpNe, OpLtU, OpLeU:
		case OpStore:
			a.kill(s, v.Args[0], v.Aux, v.Args[1].Type.Size())
			a.use(s, v.Args[1])
		case OpClear:
			a.kill(s, v.Args[0], 0, v.Aux)
		case OpClearN:
			if n := v.Args[1]; n.Op == OpConst {
				a.kill(s, v.Args[0], 0, n.Aux)
			}
		case OpMove:
			a.kill(s, v.Args[0], 0, v.Aux)
			a.use(s, v.Args[1])
		case OpMoveN:
			a.use(s, v.Args[1])
		default:
			for _, x := range v.Args {
				a.use(s, x)
			}
		}
	}
}

// use makes the local live that p points into.
func (a *localAnalysis) use(s []uint64, p *Value) {
	if n := a.local[p.ID]; n != 0 {
		setRange(s, a.first[n-1], a.first[n])
	}
}

// kill ends the lives of what n bytes at p + off overwrite.
func (a *localAnalysis) kill(s []uint64, p *Value, off, n int64) {
	k := a.local[p.ID]
	if k == 0 || a.off[p.ID] == unknownOff {
		return
	}
	off += a.off[p.ID]
	for i := a.first[k-1]; i < a.first[k]; i++ {
		if u := &a.units[i]; off <= u.from && u.to <= off+n {
			s[i/64] &^= 1 << (i % 64)
		}
	}
}

// LocalSets is the form of a LocalLive in an image; the rest follows from the function's locals.
type LocalSets struct {
	Recover, Entry int32
	Coarse         bool     // no local has more than one unit
	All            bool     // everything is live everywhere
	Words          []uint64 // the sets, one after the other
}

// Sets returns the part of l that an image must hold.
func (l *LocalLive) Sets() LocalSets {
	return LocalSets{Recover: l.Recover, Entry: l.Entry, Coarse: l.coarse(), All: l.all, Words: l.sets}
}

// SetLocalLive gives f the sets that Sets returned for the same locals. It checks every use of a
// set's number: the numbers in the operations (Value.Live) must be there already.
func (f *Func) SetLocalLive(s LocalSets) error {
	a := &localAnalysis{f: f, LocalLive: &LocalLive{Recover: s.Recover, Entry: s.Entry, all: s.All, sets: s.Words}}
	a.makeUnits(s.Coarse)
	n := int32(1) // without pointers the one set is empty
	if a.words > 0 {
		if len(s.Words)%a.words != 0 || len(s.Words)/a.words > maxID {
			return fmt.Errorf("%d words in sets of %d", len(s.Words), a.words)
		}
		n = int32(len(s.Words) / a.words)
		if r := len(a.units) % 64; r != 0 {
			for i := a.words - 1; i < len(s.Words); i += a.words {
				if s.Words[i]>>r != 0 {
					return fmt.Errorf("a set with more than %d elements", len(a.units))
				}
			}
		}
	} else if len(s.Words) > 0 {
		return fmt.Errorf("sets without pointers")
	}
	bad := func(i int32) bool { return i < 0 || i >= n }
	if bad(s.Recover) || bad(s.Entry) {
		return fmt.Errorf("set out of range")
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if bad(v.Live) {
				return fmt.Errorf("%s: set out of range", v)
			}
		}
	}
	f.LocalLive = a.LocalLive
	return nil
}
