package memory

// stress requests many collections, so that a root that the caller forgets to mark soon shows.
type stress struct {
	every int64  // 0 off; n > 0: before every n-th allocation; negative: at every refill
	count int64  // allocations since the last collection
	seen  uint64 // number of the last collection that was noticed
	paid  uint64 // number of the last collection that a charge noticed
}

func (s *stress) reset() { s.count, s.seen, s.paid = 0, 0, 0 }

// SetStress makes Alloc request a collection before every n-th allocation, or with a negative n in
// every slow path; 0 ends this. With a positive n the window stays empty for inline allocation, so
// that Alloc sees every object.
func (h *Heap) SetStress(n int) {
	h.stress = stress{every: int64(n), seen: h.numGC, paid: h.numGC}
	h.setWindow(h.window())
}

// SetWatch keeps the window empty for inline allocation, so that Alloc sees every object, or ends
// this. It has no other effect.
func (h *Heap) SetWatch(on bool) {
	h.watch = on
	h.setWindow(h.window())
}

// seesAll reports whether every allocation goes through Alloc.
func (h *Heap) seesAll() bool { return h.watch || h.stress.every > 0 }

// due counts an allocation and reports whether it has to wait for a collection. Any collection
// since the last call suffices.
func (s *stress) due(numGC uint64) bool {
	if s.every <= 0 {
		return false
	}
	if s.seen != numGC {
		s.seen, s.count = numGC, 0
		return false
	}
	s.count++
	return s.count >= s.every
}

// everyRefill reports whether this slow path has to wait for a collection.
func (s *stress) everyRefill(numGC uint64) bool {
	if s.every >= 0 {
		return false
	}
	done := s.seen != numGC
	s.seen = numGC
	return !done
}

// StressesCharge reports whether SetStress makes a charge, for instance of a growing stack, wait
// for a collection. Any collection since the last charge suffices.
func (h *Heap) StressesCharge() bool {
	if h.stress.every == 0 {
		return false
	}
	done := h.stress.paid != h.numGC
	h.stress.paid = h.numGC
	return !done
}
