package opt

import (
	"fmt"

	"github.com/gyrvm/gyr/internal/ir"
)

// Objects that do not escape move from the heap into the function's locals. An object that is made
// in a loop must be dead when it is made again, since one local serves all iterations.

// Limits of what moves into a frame; gc's for implicitly allocated variables.
const (
	maxStackObject = 64 << 10
	maxStackFrame  = 256 << 10
)

// moveToFrame turns the allocations of f that do not escape into locals.
func (in *inliner) moveToFrame(s *state) {
	any := false
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			any = any || in.makes(v)
		}
	}
	if !any {
		return
	}
	e := s.escape
	frame := localBytes(s.f)
	var move []*ir.Value
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if !in.makes(v) || e.what(v)&(leakAddr|retAddr) != 0 {
				continue
			}
			size, ok := in.frameSize(v)
			if !ok || size > maxStackObject || frame+size > maxStackFrame {
				continue
			}
			if !e.diesInRound(v) {
				continue
			}
			frame += size
			move = append(move, v)
		}
	}
	if s.log {
		in.logEscapes(s, move)
	}
	if len(move) == 0 {
		return
	}
	s.changed = true
	chosen := make([]bool, s.f.NumValues())
	for _, v := range move {
		chosen[v.ID] = true
	}
	var ins inserter
	for _, b := range s.f.Blocks {
		found := false
		for _, v := range b.Values {
			found = found || chosen[v.ID]
		}
		if !found {
			continue
		}
		ins.start(b)
		for _, v := range b.Values {
			if int(v.ID) >= len(chosen) || !chosen[v.ID] {
				ins.add(v)
				continue
			}
			name := fmt.Sprintf("new%d", len(s.f.Locals))
			if v.Op == ir.OpCall {
				size, ptrs, _ := in.bufferFor(v)
				buf := s.f.NewValue(ir.OpLocalAddr, ir.Ptr)
				buf.Aux = s.f.AddLocal(ir.Local{Name: name, Size: size, Align: 8, Ptrs: ptrs})
				buf.Pos = v.Pos
				ins.add(buf)
				v.Fn = in.makers[v.Fn].buffered
				v.Sig = &v.Fn.Sig
				v.Args = append([]*ir.Value{buf}, v.Args...)
				ins.add(v)
				continue
			}
			ins.add(v)
			size, _ := objectSize(v)
			n := s.f.AddLocal(ir.Local{Name: name, Size: size, Align: 8, Ptrs: objectPtrs(s.m, v.Aux, size)})
			v.Op, v.Aux, v.Aux2, v.Args = ir.OpLocalAddr, n, 0, nil
			if size > 0 {
				c := s.f.NewValue(ir.OpClear, ir.Void, v)
				c.Aux = size
				c.Pos = v.Pos
				ins.add(c)
			}
		}
		ins.finish()
	}
}

// frameSize is the room that an object needs in the frame.
func (in *inliner) frameSize(v *ir.Value) (int64, bool) {
	if v.Op == ir.OpCall {
		size, _, ok := in.bufferFor(v)
		return size, ok
	}
	return objectSize(v)
}

// objectSize is the size of an allocation in bytes, if it is constant.
func objectSize(v *ir.Value) (int64, bool) {
	if v.Op == ir.OpNew {
		return v.Aux2, true
	}
	n := v.Args[0]
	if n.Op != ir.OpConst || n.Aux < 0 || n.Aux > maxStackObject || v.Aux2 > maxStackObject {
		return 0, false
	}
	return n.Aux * v.Aux2, true
}

// objectPtrs is the pointer map of an object: its layout, repeated.
func objectPtrs(m *ir.Module, layout, size int64) []uint64 {
	l := &m.Layouts[layout]
	if len(l.Ptrs) == 0 || l.Size == 0 {
		return nil
	}
	words := int(size / 8)
	elem := int(l.Size / 8)
	ptrs := make([]uint64, (words+63)/64)
	for w := 0; w < words; w++ {
		if k := w % elem; k/64 < len(l.Ptrs) && l.Ptrs[k/64]>>uint(k%64)&1 != 0 {
			ptrs[w/64] |= 1 << uint(w%64)
		}
	}
	return ptrs
}

// diesInRound reports whether an object that is made in a loop is dead before it is made again:
// then one local serves all iterations.
func (e *escaper) diesInRound(v *ir.Value) bool {
	ls := e.Loops()
	lp := ls.Of(v.Block)
	if lp == nil && !ls.Irreducible {
		return true
	}
	if ls.Irreducible {
		return false
	}
	if e.alias == nil {
		e.followMemory()
	}
	return e.diesIn(v, lp, map[int32]bool{})
}

// diesIn checks that no phi of the loop's header, or of one around it, can hold the object, and
// that every object that holds its address is made anew in each iteration too.
func (e *escaper) diesIn(v *ir.Value, lp *ir.Loop, seen map[int32]bool) bool {
	c := find(e.alias, v.ID)
	if seen[c] {
		return true
	}
	seen[c] = true
	for _, d := range e.deferred {
		if find(e.alias, d.ID) == c {
			return false // alive until the function returns
		}
	}
	for x := lp; x != nil; x = x.Parent {
		for _, phi := range x.Header.Phis() {
			if find(e.alias, phi.ID) == c {
				return false
			}
		}
	}
	ls := e.Loops()
	for _, holder := range e.within[c] {
		// Every object of the holder's class.
		for _, b := range e.f.Blocks {
			for _, o := range b.Values {
				if (e.in.makes(o) || o.Op == ir.OpLocalAddr) && find(e.alias, o.ID) == holder {
					if o.Op == ir.OpLocalAddr || !ls.Contains(lp, b) {
						return false
					}
					if !e.diesIn(o, lp, seen) {
						return false
					}
				}
			}
		}
	}
	return true
}

// followMemory makes the second partition.
func (e *escaper) followMemory() {
	n := len(e.class)
	e.alias = make([]int32, n, 2*n)
	e.content = make([]int32, n, 2*n)
	for i := range e.alias {
		e.alias[i] = find(e.class, int32(i))
		e.content[i] = -1
	}
	stored := func(p, q int32) { e.merge(e.behind(p), q) }
	for _, b := range e.f.Blocks {
		for i, v := range b.Values {
			switch v.Op {
			case ir.OpLoad:
				if v.Type == ir.Ptr {
					stored(v.Args[0].ID, v.ID)
				}
			case ir.OpStore:
				if v.Args[1].Type == ir.Ptr {
					stored(v.Args[0].ID, v.Args[1].ID)
				}
			case ir.OpMove, ir.OpMoveN:
				if v.Aux2 != 0 {
					break // no pointers
				}
				e.merge(e.behind(v.Args[0].ID), e.behind(v.Args[1].ID))
			case ir.OpCall, ir.OpCallClosure, ir.OpCallIndex, ir.OpHost:
				// A callee may return an argument or an address in its object.
				// Addresses that it stores elsewhere escape, and such objects are
				// never queried.
				e.arguments(v, func(a *ir.Value, l leak) {
					if l&retAny == 0 {
						return
					}
					eachResult(v, b.Values[i+1:], func(r *ir.Value) {
						if l&retAddr != 0 {
							e.merge(r.ID, a.ID)
						}
						if l&retInner != 0 {
							e.merge(r.ID, e.behind(a.ID))
						}
						if l&retDeep != 0 {
							// At any depth: all objects reached become
							// one class.
							c := e.behind(a.ID)
							e.merge(c, e.behind(c))
							e.merge(r.ID, c)
						}
						if l&heldAny != 0 {
							// At any depth below the result.
							c := e.behind(r.ID)
							e.merge(c, e.behind(c))
							if l&heldAddr != 0 {
								e.merge(c, a.ID)
							}
							e.merge(c, e.behind(a.ID))
						}
					})
				})
			}
		}
	}
	// within[c]: the classes whose objects hold addresses of class c.
	e.within = map[int32][]int32{}
	for i := range e.alias {
		r := find(e.alias, int32(i))
		if r != int32(i) || e.content[r] < 0 {
			continue
		}
		c := find(e.alias, e.content[r])
		e.within[c] = append(e.within[c], r)
	}
}

// behind returns the class of the addresses stored in a pointer's object.
func (e *escaper) behind(x int32) int32 {
	x = find(e.alias, x)
	if e.content[x] < 0 {
		n := int32(len(e.alias))
		e.alias = append(e.alias, n)
		e.content = append(e.content, -1)
		e.content[x] = n
	}
	return find(e.alias, e.content[x])
}

// merge joins two classes, and the classes of the addresses in their objects.
func (e *escaper) merge(a, b int32) {
	for {
		a, b = find(e.alias, a), find(e.alias, b)
		if a == b {
			return
		}
		if a > b {
			a, b = b, a
		}
		e.alias[b] = a
		ca, cb := e.content[a], e.content[b]
		if ca < 0 {
			e.content[a] = cb
			return
		}
		if cb < 0 {
			return
		}
		a, b = ca, cb
	}
}
