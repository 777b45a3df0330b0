package profile

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
)

// GasLines returns the lines that used the gas of the run, most gas first. A charge counts for the
// innermost line outside the standard library among the calls that led to it, or for the innermost
// line if all are in the standard library. The sum is the gas of the run.
func (t *Tree) GasLines() []api.LineGas {
	e := newEncoder(t.mod)
	gas := map[api.Position]int64{}
	for _, n := range t.nodes {
		for _, pos := range slices.Sorted(maps.Keys(n.gas)) {
			gas[t.ownLine(e, n, pos)] += n.gas[pos]
		}
	}
	list := make([]api.LineGas, 0, len(gas))
	for p, units := range gas {
		list = append(list, api.LineGas{Position: p, Gas: units})
	}
	slices.SortFunc(list, func(a, b api.LineGas) int {
		return cmp.Or(-cmp.Compare(a.Gas, b.Gas), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Func, b.Func))
	})
	return list
}

// ownLine returns the line for a charge at pos in the context n.
func (t *Tree) ownLine(e *encoder, n *Node, pos ir.Pos) (first api.Position) {
	fn := n.Func
	for {
		if l := e.location(place{fn, pos}); l != nil {
			for _, x := range l.lines {
				p := api.Position{Func: x.of.name, File: x.of.file, Line: int(x.line)}
				if !strings.HasPrefix(p.File, "$GOROOT/") && p.File != "" {
					return p
				}
				if first.Func == "" {
					first = p
				}
			}
		}
		if n.parent == nil || n.parent.Func == 0 {
			return first
		}
		fn, pos, n = n.parent.Func, n.call, n.parent
	}
}
