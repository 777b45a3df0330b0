package cache

import "sync"

// lateSize is the size of the pieces of lazily read parts of an entry.
const lateSize = 64 << 10

// Pieces are bytes that are read in parts on demand, each piece once. They are safe for concurrent
// use.
type pieces struct {
	size int // of each piece except the last
	read func(n int) ([]byte, error)

	mu   sync.Mutex
	list [][]byte // nil: not read
}

// init sets the number and the size of the pieces, and the function that reads one.
func (p *pieces) init(count, size int, read func(n int) ([]byte, error)) {
	p.size, p.read, p.list = size, read, make([][]byte, count)
}

// bytes returns the bytes from one offset to another. They must not be changed.
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
