package hot

import (
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/ir"
)

// A key identifies a function's counts among those of an instance.
type key struct {
	fn    *ir.Func // nil: the routines
	layer int
}

func keyOf(f *engine.FuncCounts) key { return key{f.Func, f.Layer} }

// Since returns the executions between two counts of the same instance. Functions that were not
// compiled at the first count had executed nothing.
func Since(before, after []engine.FuncCounts) []engine.FuncCounts {
	was := make(map[key][]engine.BlockCount, len(before))
	for i := range before {
		was[keyOf(&before[i])] = before[i].Blocks
	}
	return combine(after, func(f *engine.FuncCounts, i int, n uint64) uint64 {
		if old := was[keyOf(f)]; i < len(old) {
			return n - old[i].Count
		}
		return n
	})
}

// Add returns the sum of two counts.
func Add(x, y []engine.FuncCounts) []engine.FuncCounts {
	more := make(map[key]*engine.FuncCounts, len(y))
	for i := range y {
		more[keyOf(&y[i])] = &y[i]
	}
	out := combine(x, func(f *engine.FuncCounts, i int, n uint64) uint64 {
		if g := more[keyOf(f)]; g != nil && i < len(g.Blocks) {
			n += g.Blocks[i].Count
		}
		return n
	})
	for i := range x {
		delete(more, keyOf(&x[i]))
	}
	for i := range y {
		if more[keyOf(&y[i])] != nil {
			out = append(out, y[i])
		}
	}
	return out
}

// combine copies counts with changed numbers.
func combine(list []engine.FuncCounts, count func(f *engine.FuncCounts, i int, n uint64) uint64) []engine.FuncCounts {
	out := make([]engine.FuncCounts, len(list))
	for k := range list {
		f := list[k]
		blocks := make([]engine.BlockCount, len(f.Blocks))
		for i, b := range f.Blocks {
			b.Count = count(&f, i, b.Count)
			blocks[i] = b
		}
		out[k] = f
		out[k].Blocks = blocks
	}
	return out
}
