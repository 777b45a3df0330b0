//go:build unix && amd64

package native

import (
	"flag"
	"testing"

	"github.com/gyrvm/gyr/internal/exec"
	"github.com/gyrvm/gyr/internal/interp/irtest"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/rt"
)

var (
	seeds = flag.Int("seeds", 400, "random modules to compare")
	seed0 = flag.Uint64("seed", 0, "first seed")
)

// compare runs a module by a machine and by the evaluator.
func compare(t *testing.T, mod *ir.Module, limit int64, opts Options) {
	t.Helper()
	irtest.Compare(t, mod, limit, func(vm *rt.VM, quantum, slice int64) (irtest.Machine, error) {
		opts.Verify = true
		prog, err := NewProgram(mod, opts)
		if err != nil {
			return nil, err
		}
		m, err := New(vm, prog, exec.Config{Quantum: quantum})
		if err == nil && slice > 0 {
			m.SetSlice(slice)
		}
		return m, err
	})
}

// TestRandom compares random modules with the naive evaluator: results, memory,
// gas, traps, with and without a gas limit.
func TestRandom(t *testing.T) {
	if _, err := NewArena(0, 1<<20); err != nil {
		t.Skip(err)
	}
	for i := 0; i < *seeds; i++ {
		seed := *seed0 + uint64(i)
		opts := Options{Checked: i%5 == 2}
		size := []int{3, 10, 40, 120}[i%4]
		ok := t.Run("", func(t *testing.T) {
			compare(t, irtest.Random(seed, size, i%2 == 0), 0, opts)
		})
		if ok && i%3 == 0 {
			e := irtest.NewEval(irtest.Random(seed, size, i%2 == 0))
			e.Call(e.Mod.Entry, nil)
			if e.Gas > 1 {
				ok = t.Run("", func(t *testing.T) {
					compare(t, irtest.Random(seed, size, i%2 == 0), 1+int64(seed*2654435761)%(e.Gas), opts)
				})
			}
		}
		if !ok {
			t.Fatalf("seed %d size %d traps %v opts %+v", seed, size, i%2 == 0, opts)
		}
	}
}
