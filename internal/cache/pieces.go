package cache

import "sync"

// lateSize is the size of the pieces in which an entry has what few programs need much of.
const lateSize = 64 << 10

// Pieces are bytes of which parts are read when they are needed: each piece once. They are safe for concurrent use.
type pieces struct {
	size int // of each but the last
	read func(n int) ([]byte, error)

	mu   sync.Mutex
	list [][]byte // nil: not read
}

// init says how many pieces there are, of which size, and what reads one.
func (p *pieces) init(count, size int, read func(n int) ([]byte, error)) {
	p.size, p.read, p.list = size, read, make([][]byte, count)
}

// bytes returns the bytes from one place to another. They must not be changed.
func (p *pieces) bytes(from, to int) (out []byte, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for at := from; at < to; {
		n := at / max(p.size, 1)
		if n >= len(p.list) {
			return nil, errContents
		}
		if p.list[n] == nil {
			if p.list[n], err = p.read(n); err != nil {
				return nil, err
			}
		}
		b, start := p.list[n], n*p.size
		lo, hi := at-start, min(to-start, len(b))
		if lo >= hi {
			return nil, errContents
		}
		if at == from && start+hi == to {
			return b[lo:hi], nil
		}
		out = append(out, b[lo:hi]...)
		at = start + hi
	}
	return out, nil
}
