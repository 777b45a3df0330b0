package opt

import "github.com/gyrvm/gyr/internal/ir"

// mergeGas joins charges of one block between which nothing can be observed:
// no call, trap, allocation, store or other charge whose place matters. The
// later charge moves up to the earlier one, so a program out of gas stops a few
// pure operations sooner, with the same figure.
//
// A charge stands at the head of its block where it can, since a back end makes
// it part of the branches that lead there.
func mergeGas(s *state) {
	for _, b := range s.f.Blocks {
		var open *ir.Value // the charge that later ones may join
		found := false
		for _, v := range b.Values {
			switch {
			case v.Op == ir.OpGas:
				if open != nil && open.Aux+v.Aux <= 1<<40 {
					open.Aux += v.Aux
					deleted(v)
					found = true
					continue
				}
				open = v
			case v.HasEffect(keepEffects):
				open = nil
			}
		}
		if found {
			n := 0
			for _, v := range b.Values {
				if v.Op != ir.OpInvalid {
					b.Values[n] = v
					n++
				}
			}
			clear(b.Values[n:])
			b.Values = b.Values[:n]
			s.changed = true
		}
	}
}
