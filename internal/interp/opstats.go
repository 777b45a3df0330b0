package interp

import (
	"github.com/gyrvm/gyr/internal/bytecode"
)

// opCounts are what the counting loop gathers: operations, pairs and triples in
// the order of execution.
type opCounts struct {
	last, before bytecode.Op
	ops          [bytecode.NumOps]uint64
	pairs        map[uint32]uint64
	triples      map[uint64]uint64
}

func newOpCounts() *opCounts {
	return &opCounts{pairs: map[uint32]uint64{}, triples: map[uint64]uint64{}}
}

//go:noinline
func (m *Machine) count(w uint64) {
	op := bytecode.OpOf(w)
	c := m.ops
	if op >= bytecode.NumOps {
		return
	}
	c.ops[op]++
	c.pairs[uint32(c.last)<<16|uint32(op)]++
	c.triples[uint64(c.before)<<32|uint64(c.last)<<16|uint64(op)]++
	c.before, c.last = c.last, op
}
