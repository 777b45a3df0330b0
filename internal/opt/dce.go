package opt

import "github.com/gyrvm/gyr/internal/ir"

// deadCode removes operations whose results are unused. Operations with an effect stay: checks,
// charges, stores, calls, allocations (phase A handles these).
func deadCode(s *state) { removeDead(s, false) }

// deadAllocations removes unused allocations too.
func deadAllocations(s *state) { removeDead(s, true) }

const keepEffects = ir.WriteMem | ir.MayTrap | ir.Allocates | ir.IsCall | ir.Charges | ir.Safepoint

func removeDead(s *state, allocations bool) {
	f := s.f
	live := make([]bool, f.NumValues())
	var work []*ir.Value
	mark := func(v *ir.Value) {
		if !live[v.ID] {
			live[v.ID] = true
			work = append(work, v)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.HasEffect(keepEffects|ir.Counts) || v.Op == ir.OpFrameID || v.Op == ir.OpKeep ||
				v.Op == ir.OpConsume {
				if allocations && (v.Op == ir.OpNew || v.Op == ir.OpNewArray) {
					continue
				}
				mark(v)
			}
		}
		if b.Ctrl != nil {
			mark(b.Ctrl)
		}
		for _, r := range b.Rets {
			mark(r)
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		s.step(1)
		for _, a := range v.Args {
			mark(a)
		}
	}
	for _, b := range f.Blocks {
		n := 0
		for _, v := range b.Values {
			if live[v.ID] {
				b.Values[n] = v
				n++
			}
		}
		if n < len(b.Values) {
			s.changed = true
			clear(b.Values[n:])
			b.Values = b.Values[:n]
		}
	}
}
