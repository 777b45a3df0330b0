package interp

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/gyrvm/gyr/internal/back/bytecode"
)

// opCounts are the counts of the counting loop: operations, pairs and triples in the order of
// execution.
type opCounts struct {
	last, before bytecode.Op
	ops          [bytecode.NumOps]uint64
	pairs        map[uint32]uint64
	triples      map[uint64]uint64
	places       map[uintptr]uint64 // by address of the instruction, instead of pairs and triples; nil: not wanted
}

func newOpCounts() *opCounts {
	return &opCounts{pairs: map[uint32]uint64{}, triples: map[uint64]uint64{}}
}

//go:noinline
func (m *Machine) count(w uint64, at uintptr) {
	op := bytecode.OpOf(w)
	c := m.ops
	if op >= bytecode.NumOps || op == bytecode.Compile {
		return
	}
	c.ops[op]++
	if c.places != nil {
		c.places[at]++
		return
	}
	c.pairs[uint32(c.last)<<16|uint32(op)]++
	c.triples[uint64(c.before)<<32|uint64(c.last)<<16|uint64(op)]++
	c.before, c.last = c.last, op
}

// Instructions returns how many instructions were executed, 0 if neither Config.Count nor
// Config.OpStats is set.
func (m *Machine) Instructions() uint64 {
	switch {
	case m.ops == nil && m.tallies:
		return m.tally
	case m.ops == nil:
		return 0 // a profile's loop counts even if nobody wants the count
	}
	n := uint64(0)
	for _, k := range m.ops.ops {
		n += k
	}
	return n
}

// WriteOpStats writes a table of the operations executed, the pairs and the triples, the most
// frequent first. Superinstructions are chosen from it. It writes nothing unless Config.OpStats is
// set.
func (m *Machine) WriteOpStats(w io.Writer) error {
	if m.ops == nil {
		return nil
	}
	const most = 40 // lines per section
	bw := bufio.NewWriter(w)
	total := float64(max(m.Instructions(), 1))
	ops := map[uint64]uint64{}
	for op, n := range m.ops.ops {
		if n > 0 {
			ops[uint64(op)] = n
		}
	}
	pairs := map[uint64]uint64{}
	for k, n := range m.ops.pairs {
		pairs[uint64(k)] = n
	}
	for words, t := range []map[uint64]uint64{ops, pairs, m.ops.triples} {
		fmt.Fprintf(bw, "%s\n", [...]string{"operations", "pairs", "triples"}[words])
		keys := slices.SortedFunc(maps.Keys(t), func(a, b uint64) int {
			return cmp.Or(-cmp.Compare(t[a], t[b]), cmp.Compare(a, b))
		})
		for _, k := range keys[:min(len(keys), most)] {
			fmt.Fprintf(bw, "%14d %6.2f%% ", t[k], 100*float64(t[k])/total)
			for i := words; i >= 0; i-- {
				fmt.Fprintf(bw, " %s", bytecode.Op(k>>(16*uint(i))))
			}
			bw.WriteByte('\n')
		}
	}
	return bw.Flush()
}
