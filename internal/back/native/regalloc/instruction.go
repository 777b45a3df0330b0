package regalloc

// # One instruction

// demands are the registers that an instruction wants.
type demands struct {
	fixed   RegSet // by operands, or reserved
	results RegSet // by results
	lost    RegSet // their content is gone afterwards
	room    RegSet // for values that must move elsewhere
}

func demandsOf(in *Inst) (w demands) {
	for j := range in.Uses {
		if u := &in.Uses[j]; u.Need == Fixed {
			w.fixed = w.fixed.With(u.Reg)
		}
	}
	for j := range in.Defs {
		if d := &in.Defs[j]; d.Need == Fixed {
			w.results = w.results.With(d.Reg)
		}
	}
	w.lost = in.Clobber | w.results
	w.fixed |= in.Reserve
	w.room = ^(w.fixed | w.lost)
	return w
}

// instruction places the operands of in. It pins the registers of operands until all moves before
// the instruction are made. The next instructions begin at at.
func (a *allocator) instruction(in *Inst, at int32) {
	if len(in.Defs) == 1 && a.f.Again[in.Defs[0].V] && len(in.Uses)+len(in.Temps) == 0 && in.Clobber|in.Reserve == 0 {
		return // computed where it is wanted
	}
	a.pin, a.now = 0, at
	if in.Commutes {
		a.exchange(in, at)
	}
	w := demandsOf(in)
	a.operands(in, &w)
	a.overwritten(in, at, &w)
	a.anywhere(in, &w)
	own := a.ownRegisters(in, &w)
	a.rescue(at, &w)
	a.steps = append(a.steps, Step{Inst: in})
	a.retire(in, at, own, &w)
	a.results(in, own)
}

// exchange puts the operand first that is where the result is wanted. listUses has looked for the one
// that is not needed any more.
func (a *allocator) exchange(in *Inst, at int32) {
	x, y, hint := in.Uses[0].V, in.Uses[1].V, in.Defs[0].hint
	if hint != noReg && a.holds(hint, y) && !a.holds(hint, x) && !a.usedAfter(y, at) {
		in.Uses[0], in.Uses[1] = in.Uses[1], in.Uses[0]
	}
}

// operands takes the reserved registers, and loads operands that need a register.
func (a *allocator) operands(in *Inst, w *demands) {
	f := a.f
	for s := in.Reserve; s != 0; s &= s - 1 {
		a.evictTo(s.First(), w.room)
		a.pin = a.pin.With(s.First())
		a.written = a.written.With(s.First())
	}
	for j := range in.Uses {
		u := &in.Uses[j]
		if u.Need != Fixed {
			continue
		}
		if !a.holds(u.Reg, u.V) {
			a.evictTo(u.Reg, w.room)
			a.move(u.V, u.Reg)
		}
		a.use(u, u.Reg)
	}
	for j := range in.Uses {
		u := &in.Uses[j]
		if u.Need != Register {
			continue
		}
		if a.regs[u.V] == 0 {
			a.move(u.V, a.take(f.Regs[f.Class[u.V]]&^w.fixed, u.hint))
		}
		a.use(u, a.regs[u.V].First())
	}
}

// overwritten handles results that take the place of an operand: a copy of it, if the operand stays
// live. There is none if a call destroys the operand's register before its next use anyway.
func (a *allocator) overwritten(in *Inst, at int32, w *demands) {
	f := a.f
	for j := range in.Defs {
		d := &in.Defs[j]
		if d.Need != Same {
			continue
		}
		u := &in.Uses[d.Of]
		if !a.usedAfter(u.V, at) || a.regs[u.V]&^w.lost != 0 && a.regs[u.V]&^w.lost != RegSet(0).With(u.Loc.Reg()) {
			continue
		}
		mask := f.Regs[f.Class[u.V]]
		if u.Need == Fixed {
			// The instruction wants this very register; the copy is for later.
			if free := a.free(mask & w.room); free != 0 {
				a.move(u.V, free.First())
			}
			continue
		}
		if a.far(u.V, at) {
			continue
		}
		old := u.Loc.Reg()
		a.makeRoom(d.hint)
		n := a.take(mask&^w.fixed, d.hint)
		a.move(u.V, n)
		a.use(u, n)
		if !a.holds(old, u.V) {
			panic("regalloc: the operand was evicted")
		}
	}
}

// anywhere places operands that may be anywhere. They leave room for temporaries and early results.
func (a *allocator) anywhere(in *Inst, w *demands) {
	f := a.f
	var spare [NumClasses]int
	for c := range spare {
		spare[c] = f.Regs[c].Len() - (f.Regs[c] & (a.pin | w.fixed | w.lost)).Len()
	}
	for j := range in.Temps {
		spare[in.Temps[j].Class]--
	}
	for j := range in.Defs {
		if in.Defs[j].Early {
			spare[f.Class[in.Defs[j].V]]--
		}
	}
	for j := range in.Uses {
		u := &in.Uses[j]
		fits := func(r Reg) bool {
			if a.pin.Has(r) {
				return true
			}
			n := &spare[f.Class[u.V]]
			*n--
			return *n >= 0
		}
		switch {
		case u.Need != Anything && u.Need != Slot:
		case u.Need == Anything && a.regs[u.V] != 0 && fits(a.regs[u.V].First()):
			a.use(u, a.regs[u.V].First())
		case f.Again[u.V]:
			u.Loc = Again
		default:
			a.needSlot(u.V, a.block)
			u.Loc = InSlot(0)
		}
	}
}

// ownRegisters takes registers for temporaries and early results.
func (a *allocator) ownRegisters(in *Inst, w *demands) (own RegSet) {
	f := a.f
	for j := range in.Temps {
		r := a.take(f.Regs[in.Temps[j].Class]&^(w.fixed|w.results), noReg)
		in.Temps[j].Loc = InReg(r)
		own = own.With(r)
		a.pin = a.pin.With(r)
	}
	for j := range in.Defs {
		if d := &in.Defs[j]; d.Early && d.Need == Register {
			r := a.take(f.Regs[f.Class[d.V]]&^(w.fixed|w.lost), d.hint)
			d.Loc = InReg(r)
			own = own.With(r)
			a.pin = a.pin.With(r)
		}
	}
	return own
}

// rescue moves live values elsewhere that would be destroyed, if there is room.
func (a *allocator) rescue(at int32, w *demands) {
	f := a.f
	for s := w.lost & a.full; s != 0; s &= s - 1 {
		v := a.held[s.First()]
		if f.Again[v] || !a.usedAfter(v, at) || a.regs[v]&^w.lost != 0 {
			continue
		}
		if free := a.free(f.Regs[f.Class[v]] & w.room); free != 0 {
			a.move(v, free.First())
		}
	}
}

// retire forgets values with their last use here and what the instruction destroyed, and reports
// what stays live.
func (a *allocator) retire(in *Inst, at int32, own RegSet, w *demands) {
	for j := range in.Uses {
		a.advance(in.Uses[j].V, at)
	}
	for s := w.lost | own; s != 0; s &= s - 1 {
		a.drop(s.First())
		a.written = a.written.With(s.First())
	}
	if in.WantLive {
		for s := a.full; s != 0; s &= s - 1 {
			if a.next[a.held[s.First()]] != 0 {
				in.Live = in.Live.With(s.First())
			}
		}
	}
}

// results gives the results their places.
func (a *allocator) results(in *Inst, own RegSet) {
	f := a.f
	a.pin = own
	for j := range in.Defs {
		d := &in.Defs[j]
		switch {
		case d.Need == Fixed:
			d.Loc = InReg(d.Reg)
		case d.Need == Same:
			d.Loc = in.Uses[d.Of].Loc
			a.drop(d.Loc.Reg())
		case !d.Early:
			continue
		}
		a.define(d)
	}
	for j := range in.Defs {
		if d := &in.Defs[j]; d.Need == Register && !d.Early {
			a.makeRoom(d.hint)
			want := d.hint
			if want == noReg && len(in.Uses) > 0 && in.Uses[0].Loc.IsReg() {
				want = in.Uses[0].Loc.Reg() // a sum in place is shorter
			}
			d.Loc = InReg(a.take(f.Regs[f.Class[d.V]], want))
			a.define(d)
		}
	}
	for j := range in.Defs {
		if v := in.Defs[j].V; a.next[v] == 0 {
			a.forget(v)
		}
	}
}

// makeRoom empties a register that a result is wanted in, if its value is not needed before a call
// destroys it anyway.
func (a *allocator) makeRoom(r Reg) {
	if r == noReg || a.pin.Has(r) || !a.full.Has(r) {
		return
	}
	if v := a.held[r]; a.f.Again[v] || a.distance(v) >= a.now+callDistance {
		a.drop(r)
	}
}

// far reports whether a call comes before the next use of v at distance at or later.
func (a *allocator) far(v VReg, at int32) bool {
	for n := a.next[v]; n != 0; n = a.uses[n].next {
		if a.uses[n].at >= at {
			return a.uses[n].at >= at+callDistance
		}
	}
	return true
}

// use gives an operand register r, which holds its value.
func (a *allocator) use(u *Use, r Reg) {
	a.read(r)
	a.pin = a.pin.With(r)
	u.Loc = InReg(r)
}

func (a *allocator) define(d *Def) {
	r := d.Loc.Reg()
	a.put(r, d.V)
	a.pin = a.pin.With(r)
}
