package profile

import (
	"io"
	"maps"
	"slices"
)

// WriteGas writes the profile of gas: one value, gas in units. Its sum over all stacks is the gas
// of the run.
func (t *Tree) WriteGas(w io.Writer) error {
	e := newEncoder(t.mod, valueType{"gas", "count"})
	e.p.period, e.p.every = valueType{"gas", "count"}, 1
	for _, n := range t.nodes {
		for _, pos := range slices.Sorted(maps.Keys(n.gas)) {
			e.begin()
			e.add(n.Func, pos)
			e.context(n)
			e.end("", n.gas[pos])
		}
	}
	return e.p.write(w)
}
