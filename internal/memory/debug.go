package memory

// stress asks for many collections, so that a root that the caller forgets to
// mark is soon missed.
type stress struct {
	every int64 // 0 off; n > 0: before every n-th allocation; negative: at every refill
	count int64
	asked bool // StatusCollect was returned for the request that comes next
}

func (s *stress) reset() { s.count, s.asked = 0, false }

// SetStress makes Alloc ask for a collection before every n-th allocation, or
// with a negative n in every slow path; 0 ends this. With a positive n the window
// stays empty for inline allocation, so that Alloc sees every object.
func (h *Heap) SetStress(n int) {
	h.stress = stress{every: int64(n)}
	h.setWindow(h.window())
}

// due counts an allocation and reports whether it has to wait for a collection.
func (s *stress) due() bool {
	if s.every < 0 {
		return false
	}
	if s.asked {
		s.asked = false
		return false
	}
	s.count++
	if s.count < s.every {
		return false
	}
	s.count = 0
	s.asked = true
	return true
}

// everyRefill reports whether this slow path has to wait for a collection.
func (s *stress) everyRefill() bool {
	if s.every >= 0 {
		return false
	}
	s.asked = !s.asked
	return s.asked
}
