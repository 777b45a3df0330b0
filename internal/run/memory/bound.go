package memory

// Bound limits the growth of what counts against the limit to n bytes from now on, until Unbound. A
// request beyond that collects first, as one beyond the limit does. Bound has no other effect.
func (h *Heap) Bound(n uint64) { h.bound = min(h.limit, satAdd(h.inUse(), n)) }

// Unbound ends the effect of Bound.
func (h *Heap) Unbound() { h.bound = h.limit }

// Bounded reports whether Bound is in force and allows less than the limit.
func (h *Heap) Bounded() bool { return h.bound < h.limit }

// InUse returns Stats.InUse.
func (h *Heap) InUse() uint64 { return h.inUse() }

func satAdd(a, b uint64) uint64 {
	if s := a + b; s >= a {
		return s
	}
	return 1<<64 - 1
}
