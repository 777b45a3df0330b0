package interp

import "github.com/gyrvm/gyr/internal/back/bytecode"

// A Place says how often the instructions of a function were executed, or how many samples fell on
// each, in code order from the first after the header.
type Place struct {
	Code   *bytecode.FuncCode
	Counts []uint64
}

// Places returns how often each instruction was executed, with Options.Places, for the functions
// that ran at all. It may be called while a host function runs.
func (m *Machine) Places() []Place {
	if m.ops == nil {
		return nil
	}
	return m.places(m.ops.places)
}

// Sampled returns the samples of time, with Options.CPUProfile.
func (m *Machine) Sampled() []Place { return m.places(m.hits) }

func (m *Machine) places(counts map[uintptr]uint64) (list []Place) {
	at := map[*bytecode.FuncCode]map[int]uint64{}
	for pc, n := range counts {
		fc, off := m.prog.FuncAt(pc + 8)
		if fc == nil || fc.Fn == nil {
			continue
		}
		if at[fc] == nil {
			at[fc] = map[int]uint64{}
		}
		at[fc][int(off)-1] = n
	}
	for fc, counts := range at {
		p := Place{Code: fc}
		for i := bytecode.HeaderWords; i < len(fc.Code); i += bytecode.Words(fc.Code[i:]) {
			p.Counts = append(p.Counts, counts[i])
		}
		list = append(list, p)
	}
	return list
}
