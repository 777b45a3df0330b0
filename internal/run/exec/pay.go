package exec

import (
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// Payment for collections.
//
// A collection that the memory limit brings about leaves a debt (memory.Heap.Debt),
// which the guest pays with a charge of its own: the overlay's paycollection. Tiers
// call it behind the allocation or the call of the host that collected, as they call
// other functions between two instructions. When the entry of a function collects, the debt waits
// for the next allocation that leaves guest code. These are the same places in every tier,
// with any passes, and gas is observed nowhere between.
//
// Entering paycollection may need stack, and so collect, when the operation's
// results are in nobody's frame yet. They are roots until the next operation.

type payState struct {
	payer   int32 // function index
	pays    bool
	results []uint32 // of the operation before Payment that are pointers
}

// New allocates, for an operation of the guest. Payment comes next.
func (m *Core) New(layout uint32, size uint64) (addr uint64, st rt.Status) {
	m.results = m.results[:0]
	p, st := m.VM.Alloc(layout, size)
	if m.Heap.Debt() != 0 {
		m.pays = true
		m.results = append(m.results, p)
	}
	return uint64(p), st
}

// called notes that host function h has returned with a; before was the debt
// when it was called.
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
