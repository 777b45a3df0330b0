package opt

import (
	"fmt"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

// Strings. A chain of concatenations becomes one. Conversions between strings and byte slices that
// are only read are removed, and so are slices that are made only to be appended. All passes
// recognise calls of the runtime overlay as lowering makes them, before inlining. The charges stay
// in place.

// stringFuncs are the functions of the overlay that the passes know.
type stringFuncs struct {
	concat2       *ir.Func
	rawstring     *ir.Func
	bytesToString *ir.Func
	stringToBytes *ir.Func
	readers       map[*ir.Func]bool // only read their strings and do not keep them
	concatN       [maxConcat + 1]*ir.Func
}

const maxConcat = 8

// findStringFuncs looks the functions up by name and keeps them from being inlined.
func (in *inliner) findStringFuncs() {
	in.str.readers = map[*ir.Func]bool{}
	for _, f := range in.runtimeFuncs() { // a function of an image may have any name
		name, ok := strings.CutPrefix(f.Name, "runtime.")
		if !ok {
			if strings.HasPrefix(f.Name, "internal/runtime/maps.runtime_mapaccess") && strings.HasSuffix(f.Name, "_faststr") {
				in.str.readers[f] = true
				in.keep[f] = true
			}
			continue
		}
		switch name {
		case "deferproc":
			if f.Sig.Key() == "lp:" {
				in.deferproc = f
				in.keep[f] = true
			}
		case "concatstring2":
			if f.Sig.Key() == "plpl:pl" {
				in.str.concat2 = f
				in.str.readers[f] = true
				in.keep[f] = true
			}
		case "rawstring":
			if f.Sig.Key() == "l:p" {
				in.str.rawstring = f
			}
		case "slicebytetostring":
			if f.Sig.Key() == "pl:pl" {
				in.str.bytesToString = f
				in.keep[f] = true
			}
		case "stringtoslicebyte":
			if f.Sig.Key() == "pl:pll" {
				in.str.stringToBytes = f
				in.keep[f] = true
			}
		}
	}
}

// foldConcat turns a + b + c, lowered as two calls, into one call with all operands: one allocation
// instead of two. The inner concatenation must be in the block of the outer one and have no other
// use except for its length, which is a sum.
func (in *inliner) foldConcat(s *state) {
	c2 := in.str.concat2
	if c2 == nil || in.str.rawstring == nil {
		return
	}
	n := 0
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if v.Op == ir.OpCall && v.Fn == c2 {
				n++
			}
		}
	}
	if n < 2 {
		return
	}
	uses := useCounts(s.f)
	operands := map[*ir.Value][]*ir.Value{} // of each concatenation: pointers and lengths in turn
	for _, b := range s.f.Blocks {
		inner := map[*ir.Value]bool{}    // concatenations that became part of another
		lengths := map[*ir.Value]int32{} // of concatenations: number of uses of their length
		for _, v := range b.Values {
			if v.Op == ir.OpResult && v.Args[0].Op == ir.OpCall && v.Args[0].Fn == c2 {
				lengths[v.Args[0]]++
			}
		}
		for _, v := range b.Values {
			if v.Op != ir.OpCall || v.Fn != c2 {
				continue
			}
			var ops []*ir.Value
			for i := 0; i < 4; i += 2 {
				p, l := v.Args[i], v.Args[i+1]
				room := 2*maxConcat - len(ops) - 2*(1-i/2)
				if sub := operands[p]; sub != nil && p.Block == b && uses[p.ID] == lengths[p]+1 &&
					l.Op == ir.OpResult && l.Args[0] == p && len(sub) <= room {
					ops = append(ops, sub...)
					inner[p] = true
					continue
				}
				ops = append(ops, p, l)
			}
			operands[v] = ops
		}
		if len(inner) > 0 {
			in.rewriteConcats(s, b, operands, inner)
		}
	}
	if s.changed {
		s.sweep()
	}
}

func (in *inliner) rewriteConcats(s *state, b *ir.Block, operands map[*ir.Value][]*ir.Value, inner map[*ir.Value]bool) {
	var ins inserter
	ins.start(b)
	for _, v := range b.Values {
		switch {
		case v.Op == ir.OpCall && inner[v]:
			continue // gone: its pointer has no use
		case v.Op == ir.OpResult && inner[v.Args[0]]:
			// The length of the inner concatenation.
			ops := operands[v.Args[0]]
			var sum *ir.Value
			for i := 1; i < len(ops); i += 2 {
				if sum == nil {
					sum = ops[i]
					continue
				}
				sum = s.f.NewValue(ir.OpAdd, ir.I64, sum, ops[i])
				sum.Pos = v.Pos
				ins.add(sum)
			}
			becomes(v, sum)
			continue
		case v.Op == ir.OpCall && len(operands[v]) > 4:
			v.Args = operands[v]
			v.Fn = in.concatFunc(len(v.Args) / 2)
			v.Sig = &v.Fn.Sig
			s.changed = true
		}
		ins.add(v)
	}
	ins.finish()
}

// concatFunc returns the function that concatenates n strings. It makes it on first use:
//
//	total := sum of the lengths
//	if a length equals total, return that string: the others are empty
//	p := rawstring(total), and the strings one after the other
//
// It also makes the variant with a buffer.
func (in *inliner) concatFunc(n int) *ir.Func {
	if f := in.str.concatN[n]; f != nil {
		return f
	}
	f := in.makeConcat(n, in.str.rawstring)
	in.str.concatN[n] = f
	in.str.readers[f] = true
	mk := &maker{size: tempBuffer}
	if raw := in.makers[in.str.rawstring]; raw != nil && raw.buffered != nil {
		mk.buffered = in.makeConcat(n, raw.buffered)
	}
	in.makers[f] = mk
	return f
}

// makeConcat makes a function that concatenates n strings, with a buffer as its
// first parameter if raw takes one.
func (in *inliner) makeConcat(n int, raw *ir.Func) *ir.Func {
	m := in.m
	f := &ir.Func{Name: fmt.Sprintf("runtime.concatstring%d", n),
		Flags: ir.Runtime | ir.NoInline}
	m.AddFunc(f)
	buffered := raw != in.str.rawstring
	first := 0
	if buffered {
		f.Name += "buf"
		f.Sig.Params = append(f.Sig.Params, ir.Ptr)
		first = 1
	}
	for range n {
		f.Sig.Params = append(f.Sig.Params, ir.Ptr, ir.I64)
	}
	f.Sig.Results = []ir.Type{ir.Ptr, ir.I64}
	f.Pos = in.str.concat2.Pos
	b := f.NewBlock()
	op := func(op ir.Op, t ir.Type, aux int64, args ...*ir.Value) *ir.Value {
		v := f.NewValue(op, t, args...)
		v.Aux = aux
		v.Pos = f.Pos
		return b.Append(v)
	}
	var room []*ir.Value // the buffer
	if buffered {
		room = append(room, op(ir.OpArg, ir.Ptr, 0))
	}
	ptrs, lens := make([]*ir.Value, n), make([]*ir.Value, n)
	for i := range n {
		ptrs[i] = op(ir.OpArg, ir.Ptr, int64(first+2*i))
		lens[i] = op(ir.OpArg, ir.I64, int64(first+2*i+1))
	}
	total := lens[0]
	starts := make([]*ir.Value, n)
	for i := 1; i < n; i++ {
		starts[i] = total
		total = op(ir.OpAdd, ir.I64, 0, total, lens[i])
	}
	for i := range n {
		only := op(ir.OpEq, ir.I8, 0, lens[i], total)
		alone, next := f.NewBlock(), f.NewBlock()
		b.Kind, b.Ctrl, b.Likely = ir.BlockIf, only, -1
		b.AddEdge(alone)
		b.AddEdge(next)
		alone.Kind, alone.Rets = ir.BlockReturn, []*ir.Value{ptrs[i], lens[i]}
		b = next
	}
	p := op(ir.OpCall, ir.Ptr, 0, append(room, total)...)
	p.Fn, p.Sig = raw, &raw.Sig
	for i := range n {
		to := p
		if i > 0 {
			to = op(ir.OpPtrAdd, ir.Ptr, 0, p, starts[i])
		}
		op(ir.OpMoveN, ir.Void, 0, to, ptrs[i], lens[i])
	}
	b.Kind, b.Rets = ir.BlockReturn, []*ir.Value{p, total}
	info := funcInfo{done: true, params: make([]leak, first+2*n)}
	if buffered {
		info.params[0] = retAddr.closed() | written
	}
	for i := range n {
		info.params[first+2*i] = retAddr.closed()
	}
	in.info = append(in.info, info)
	return f
}

// elideConversions removes string(b) if the string is only read before anything can change the
// bytes: compared, looked up in a map, concatenated. It removes []byte(s) if the bytes are only
// read.
func (in *inliner) elideConversions(s *state) {
	toString, toBytes := in.str.bytesToString, in.str.stringToBytes
	if toString == nil && toBytes == nil {
		return
	}
	var users [][]*ir.Value
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if v.Op != ir.OpCall || v.Fn == nil || v.Fn != toString && v.Fn != toBytes {
				continue
			}
			if users == nil {
				users = userLists(s.f)
			}
			if v.Fn == toString && in.readBeforeWrite(v, users) || v.Fn == toBytes && in.onlyRead(v, users, 0) {
				// The results are the operands. The capacity is the length: only a write could show
				// the difference.
				for _, r := range users[v.ID] {
					if r.Op == ir.OpResult && r.Args[0] == v {
						becomes(r, v.Args[1])
					}
				}
				becomes(v, v.Args[0])
				s.changed = true
			}
		}
	}
	if s.changed {
		s.sweep()
	}
}

// clearInstead replaces copies of memory that is made only to be copied, and so is zero, by
// clearing: append(s, make([]T, n)...) does not make the slice.
func (in *inliner) clearInstead(s *state) {
	users := userLists(s.f)
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if !in.makesZeros(v) || len(users[v.ID]) == 0 {
				continue
			}
			only := true
			for _, u := range users[v.ID] {
				only = only && u != nil && (u.Op == ir.OpMoveN || u.Op == ir.OpMove) && u.Args[0] != v
			}
			if !only {
				continue
			}
			for _, u := range users[v.ID] {
				if u.Op == ir.OpMoveN {
					u.Op, u.Args = ir.OpClearN, []*ir.Value{u.Args[0], u.Args[2]}
				} else {
					u.Op, u.Args = ir.OpClear, u.Args[:1:1]
				}
				u.Aux2 = 0
			}
			deleted(v)
			s.changed = true
		}
	}
	if s.changed {
		s.sweep()
	}
}

// makesZeros reports whether an operation makes an object of zeros.
func (in *inliner) makesZeros(v *ir.Value) bool {
	switch v.Op {
	case ir.OpNew, ir.OpNewArray:
		return true
	case ir.OpCall:
		mk := in.makers[v.Fn]
		return mk != nil && mk.typed
	}
	return false
}

// onlyRead reports whether the memory that p (an address in the result of a call) points to is only
// read, and only through p.
func (in *inliner) onlyRead(p *ir.Value, users [][]*ir.Value, depth int) bool {
	if depth > 4 {
		return false
	}
	for _, u := range users[p.ID] {
		if u == nil {
			return false
		}
		switch u.Op {
		case ir.OpResult:
			if u.Aux == 2 {
				// The capacity.
				for _, w := range users[u.ID] {
					if w == nil || w.Op != ir.OpCheck && w.Op != ir.OpLeU {
						return false
					}
				}
				if len(users[u.ID]) > 0 {
					return false // it bounds a slice expression, perhaps beyond the length
				}
			}
		case ir.OpLoad, ir.OpNilCheck, ir.OpMemEq, ir.OpMemCmp, ir.OpMemHash, ir.OpIndexByte:
		case ir.OpMoveN, ir.OpMove:
			if u.Args[0] == p {
				return false
			}
		case ir.OpPtrAdd, ir.OpPtrIdx:
			if !in.onlyRead(u, users, depth+1) {
				return false
			}
		case ir.OpCall:
			if !in.str.readers[u.Fn] || in.mayReturn(u, p) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// mayReturn reports whether a reader may return its operand p: a concatenation returns its only
// nonempty operand.
func (in *inliner) mayReturn(call, p *ir.Value) bool {
	if strings.HasPrefix(call.Fn.Name, "internal/runtime/maps.") {
		return false
	}
	// A constant nonempty other operand makes a copy certain.
	for i := 0; i < len(call.Args); i += 2 {
		if l := call.Args[i+1]; call.Args[i] != p && l.Op == ir.OpConst && l.Aux > 0 {
			return false
		}
	}
	return true
}

// readBeforeWrite reports whether all uses of the string that call made only read it, and are
// reached before any operation that may write memory.
func (in *inliner) readBeforeWrite(call *ir.Value, users [][]*ir.Value) bool {
	if !in.onlyRead(call, users, 0) {
		return false
	}
	readers := map[*ir.Value]bool{}
	var collect func(p *ir.Value)
	collect = func(p *ir.Value) {
		for _, u := range users[p.ID] {
			switch u.Op {
			case ir.OpResult:
			case ir.OpPtrAdd, ir.OpPtrIdx:
				collect(u)
			default:
				readers[u] = true
			}
		}
	}
	collect(call)
	if len(readers) == 0 {
		return false // an unused copy; its allocation stays
	}
	// Continue from the call through blocks that only it leads to.
	type item struct {
		b    *ir.Block
		from int
	}
	start := 0
	for i, v := range call.Block.Values {
		if v == call {
			start = i + 1
		}
	}
	work := []item{{call.Block, start}}
	clean := map[*ir.Block]int{} // number of predecessors that end without a write
	seen := 0
	for len(work) > 0 {
		it := work[len(work)-1]
		work = work[:len(work)-1]
		if seen++; seen > 32 {
			return false
		}
		ok := true
		for _, v := range it.b.Values[it.from:] {
			if readers[v] {
				delete(readers, v)
				if len(readers) == 0 {
					return true
				}
			}
			if v.HasEffect(ir.WriteMem|ir.IsCall) && !(v.Op == ir.OpCall && in.str.readers[v.Fn]) && !in.makes(v) {
				ok = false
				break
			}
		}
		if !ok {
			continue
		}
		for _, t := range it.b.Succs {
			if clean[t]++; clean[t] == len(t.Preds) && t != call.Block {
				work = append(work, item{t, 0})
			}
		}
	}
	return false
}
