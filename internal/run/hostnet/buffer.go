package hostnet

// A buffer is a ring of bytes: one goroutine adds to its end, another takes from its front. It has
// no memory before the first byte comes.
type buffer struct {
	b          []byte
	start, end uint // bytes taken and added since the beginning; end - start are in it
}

func (r *buffer) len() int   { return int(r.end - r.start) }
func (r *buffer) room() int  { return bufferSize - r.len() }
func (r *buffer) full() bool { return r.room() == 0 }

// space returns the memory to fill next. Only the caller may touch it until it calls filled.
func (r *buffer) space() []byte {
	if r.b == nil {
		r.b = make([]byte, bufferSize)
	}
	from := int(r.end % bufferSize)
	to := min(from+r.room(), bufferSize)
	return r.b[from:to:to]
}

func (r *buffer) filled(n int) { r.end += uint(n) }

// data returns the memory to take from next. Only the caller may touch it until it calls emptied.
func (r *buffer) data() []byte {
	from := int(r.start % bufferSize)
	to := min(from+r.len(), bufferSize)
	return r.b[from:to:to]
}

func (r *buffer) emptied(n int) { r.start += uint(n) }

// put copies as much of p as fits.
func (r *buffer) put(p []byte) (n int) {
	for n < len(p) && !r.full() {
		k := copy(r.space(), p[n:])
		r.filled(k)
		n += k
	}
	return n
}

// take copies the contents into p, as far as they fit.
func (r *buffer) take(p []byte) (n int) {
	for n < len(p) && r.len() > 0 {
		k := copy(p[n:], r.data())
		r.emptied(k)
		n += k
	}
	return n
}
