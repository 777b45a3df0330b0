package exec

import (
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// Payment for collections.
//
// A collection that the memory limit causes leaves a debt (memory.Heap.Debt). The guest pays it
// with a charge of its own: the overlay's paycollection. Tiers call that function after the
// allocation or the host call that collected, as they call other functions between two
// instructions. If the entry of a function collects, the debt waits for the next allocation that
// leaves guest code. These places are the same in every tier, with any passes, and no place between
// them observes gas.
//
// Entering paycollection may need stack, and so collect, when no frame holds the operation's
// results yet. They are roots until the next operation.

type payState struct {
	payer   int32 // function index
	pays    bool
	results []uint32 // the pointers among the results of the operation before Payment
}

// New allocates for an operation of the guest. Payment comes next.
func (m *Core) New(layout uint32, size uint64) (addr uint64, st rt.Status) {
	m.results = m.results[:0]
	p, st := m.VM.Alloc(layout, size)
	if m.Heap.Debt() != 0 {
		m.pays = true
		m.results = append(m.results, p)
	}
	return uint64(p), st
}

// called records that host function h has returned with a; before is the debt when it was called.
func (m *Core) called(h *hostFunc, before uint64, a *ir.Args) {
	if m.Heap.Debt() <= before {
		return
	}
	m.pays = true
	for i, t := range h.results {
		if t == ir.Ptr {
			m.results = append(m.results, uint32(a[i]))
		}
	}
}

// Pays reports whether Payment will name a function.
func (m *Core) Pays() bool { return m.pays }

// The tiers ask for Payment after New and CallHost return OK: the number of the
// function to call before guest code resumes, or 0.
func (m *Core) Payment() int32 {
	if !m.pays {
		return 0
	}
	m.pays = false
	return m.payer
}
