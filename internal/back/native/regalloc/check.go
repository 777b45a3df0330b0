package regalloc

import (
	"errors"
	"fmt"
	"maps"
)

// Check proves that an allocation is right: along every path, every operand is read where its value
// is. It tracks the content of each location, and where paths meet it keeps what all agree on. It
// also checks the rules of instructions.
func Check(f *Func) error {
	in := make([]map[Loc]VReg, len(f.Blocks))
	in[0] = map[Loc]VReg{}
	work := []int32{0}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		b := &f.Blocks[i]
		c := checker{f: f, at: maps.Clone(in[i])}
		for k := b.Moves; k < len(b.Steps); k++ {
			if err := c.step(&b.Steps[k]); err != nil {
				return fmt.Errorf("block %d, step %d: %w", i, k, err)
			}
		}
		for s, t := range b.Succs {
			e := checker{f: f, at: maps.Clone(c.at)}
			tb := &f.Blocks[t]
			for k := range tb.Steps[:tb.Moves] {
				if err := e.step(&tb.Steps[k]); err != nil {
					return fmt.Errorf("edge from block %d to %d, step %d: %w", i, t, k, err)
				}
			}
			var locs []Loc
			for k, l := range tb.ParamLocs {
				if l == Nowhere {
					continue
				}
				if v, ok := e.at[l]; !ok || v != b.Args[s][k] {
					return fmt.Errorf("edge from block %d to %d: parameter v%d is not in %d", i, t, tb.Params[k], l)
				}
				locs = append(locs, l)
			}
			for _, p := range tb.Params {
				e.forget(p)
			}
			n := 0
			for k, l := range tb.ParamLocs {
				if l != Nowhere {
					for _, o := range locs[:n] {
						if o == l {
							return fmt.Errorf("block %d: two parameters in %d", t, l)
						}
					}
					e.at[l] = tb.Params[k]
					n++
				}
			}
			if in[t] == nil {
				in[t] = e.at
				work = append(work, t)
				continue
			}
			changed := false
			for l, v := range in[t] {
				if w, ok := e.at[l]; !ok || w != v {
					delete(in[t], l)
					changed = true
				}
			}
			if changed {
				work = append(work, t)
			}
		}
	}
	return nil
}

type checker struct {
	f  *Func
	at map[Loc]VReg
}

func (c *checker) forget(v VReg) {
	for l, w := range c.at {
		if w == v {
			delete(c.at, l)
		}
	}
}

func (c *checker) holds(l Loc, v VReg) error {
	if l == Again {
		if !c.f.Again[v] {
			return fmt.Errorf("v%d cannot be computed again", v)
		}
		return nil
	}
	if w, ok := c.at[l]; !ok {
		return fmt.Errorf("v%d is not in %d, which holds nothing that is known", v, l)
	} else if w != v {
		return fmt.Errorf("v%d is not in %d, which holds v%d", v, l, w)
	}
	return nil
}

func (c *checker) allowed(l Loc, v VReg) error {
	if !l.IsReg() || !c.f.Regs[c.f.Class[v]].Has(l.Reg()) {
		return fmt.Errorf("v%d in %d", v, l)
	}
	return nil
}

func (c *checker) step(s *Step) error {
	if s.Inst == nil {
		if err := c.holds(s.From, s.V); err != nil {
			return fmt.Errorf("move: %w", err)
		}
		if s.To.IsReg() {
			if err := c.allowed(s.To, s.V); err != nil {
				return err
			}
		}
		if s.To.IsSlot() && s.To.Slot() >= c.f.Slots {
			return errors.New("no such slot")
		}
		c.at[s.To] = s.V
		return nil
	}
	in := s.Inst
	var operands, own RegSet
	for i := range in.Uses {
		u := &in.Uses[i]
		if err := c.holds(u.Loc, u.V); err != nil {
			return fmt.Errorf("operand %d: %w", i, err)
		}
		ok := true
		switch u.Need {
		case Register:
			ok = u.Loc.IsReg()
		case Fixed:
			ok = u.Loc == InReg(u.Reg)
		case Slot:
			ok = u.Loc.IsSlot() || u.Loc == Again
		}
		if !ok {
			return fmt.Errorf("operand %d in %d", i, u.Loc)
		}
		if u.Loc.IsReg() {
			operands = operands.With(u.Loc.Reg())
		}
	}
	for i := range in.Temps {
		l := in.Temps[i].Loc
		if !l.IsReg() || operands.Has(l.Reg()) || own.Has(l.Reg()) || !c.f.Regs[in.Temps[i].Class].Has(l.Reg()) {
			return fmt.Errorf("temporary %d in %d", i, l)
		}
		own = own.With(l.Reg())
		delete(c.at, l)
	}
	for s := in.Clobber; s != 0; s &= s - 1 {
		delete(c.at, InReg(s.First()))
	}
	for i := range in.Defs {
		d := &in.Defs[i]
		if d.Need != Fixed {
			if err := c.allowed(d.Loc, d.V); err != nil {
				return fmt.Errorf("result %d: %w", i, err)
			}
		}
		ok := true
		switch {
		case d.Need == Fixed:
			ok = d.Loc == InReg(d.Reg)
		case d.Need == Same:
			ok = d.Loc == in.Uses[d.Of].Loc
		case d.Early:
			ok = !operands.Has(d.Loc.Reg())
		}
		if !ok || own.Has(d.Loc.Reg()) {
			return fmt.Errorf("result %d in %d", i, d.Loc)
		}
		own = own.With(d.Loc.Reg())
		c.forget(d.V)
		delete(c.at, d.Loc)
	}
	for i := range in.Defs {
		c.at[in.Defs[i].Loc] = in.Defs[i].V
	}
	return nil
}
